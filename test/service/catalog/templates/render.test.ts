import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fillTemplate,
  maskFields,
  requiredVariables,
} from '../../../../src/service/catalog/templates/render.ts';

const text = 'Hello {{user.name|there}}, your order {{orderId}} ({{ orderId }}) leaves {{when|soon}}.';

describe('a template', () => {
  it('inserts variables and personal fields', () => {
    expect(fillTemplate(text, { orderId: 'A-1' }, { name: 'Ada' })).toEqual({
      ok: true,
      text: 'Hello Ada, your order A-1 (A-1) leaves soon.',
    });
    expect(fillTemplate(text, { orderId: 'A-1', when: 'today' }, {})).toEqual({
      ok: true,
      text: 'Hello there, your order A-1 (A-1) leaves today.',
    });
  });

  it('reads an empty personal field as a missing one', () => {
    expect(fillTemplate('Hello {{user.name|there}}', {}, { name: '' })).toEqual({
      ok: true,
      text: 'Hello there',
    });
    expect(fillTemplate('Hello {{user.name}}', {}, { name: '' })).toEqual({
      ok: false,
      missing: ['user.name'],
    });
  });

  it('reports missing variables', () => {
    expect(fillTemplate('{{a}} {{b}} {{user.phone}}', { b: '' }, {})).toEqual({
      ok: false,
      missing: ['a', 'user.phone'],
    });
    expect(requiredVariables(text)).toEqual(['orderId']);
    expect(requiredVariables('{{toString}} {{__proto__}}')).toEqual(['toString', '__proto__']);
  });

  it('does not read personal fields through variables, nor expand placeholders in values', () => {
    const personal = {
      name: 'Ada Lovelace',
      phone: '+441234567890',
      accountNumber: 'DE02120300000000202051',
    };
    const value = fc.oneof(fc.string(), fc.constantFrom('{{user.name}}', '{{user.accountNumber}}', '{{b}}'));
    fc.assert(
      fc.property(value, value, (a, b) => {
        const filled = fillTemplate('<{{a}}|{{b}}>', { a, b, 'user.name': 'x' }, personal);
        expect(filled).toEqual({ ok: true, text: `<${a}|${b}>` });
      }),
    );
  });

  it('does not insert other fields of a user', () => {
    expect(fillTemplate('{{user.constructor}}', {}, { name: 'Ada' })).toEqual({
      ok: false,
      missing: ['user.constructor'],
    });
  });
});

it('masked fields do not identify a person', () => {
  expect(maskFields({ name: 'Ada Lovelace', phone: '+441234567890', accountNumber: '12345' })).toEqual({
    name: 'A•••',
    phone: '•••90',
    accountNumber: '•••',
  });
  expect(maskFields({})).toEqual({});
});
