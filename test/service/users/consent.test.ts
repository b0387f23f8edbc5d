import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type ConsentStatement,
  consentTo,
  parseScope,
  scopeText,
} from '../../../src/service/users/consent.ts';

const said = (...texts: string[]): ConsentStatement[] =>
  texts.map((text) => ({ ...parseScope(text.slice(1))!, state: text[0] === '+' ? 'in' : 'out' }));

test('a scope is read and written alike', () => {
  for (const text of ['*', 'email', 'email/news', '*/news', 'sms/a b'])
    expect(scopeText(parseScope(text)!)).toBe(text);
});

test('the category * stands for all of them', () => {
  expect(['*/*', 'sms/*'].map((text) => scopeText(parseScope(text)!))).toEqual(['*', 'sms']);
  expect(consentTo(said('-*/*'), 'sms', 'news')).toBe('out');
});

test('the most specific statement holds', () => {
  expect(consentTo(said('-*', '+email/news'), 'email', 'news')).toBe('in');
  expect(consentTo(said('-*', '+email/news'), 'email', 'offers')).toBe('out');
  expect(consentTo(said('-*', '+email/news'), 'sms', 'news')).toBe('out');
  expect(consentTo(said('+*', '-sms'), 'sms', undefined)).toBe('out');
  expect(consentTo(said('+email'), 'sms', undefined)).toBeUndefined();
  expect(consentTo(said('-*/news'), 'sms', undefined)).toBeUndefined();
});

test('of two statements that are equally specific, the refusal holds', () => {
  expect(consentTo(said('+sms', '-*/news'), 'sms', 'news')).toBe('out');
  expect(consentTo(said('-*/news', '+sms'), 'sms', 'news')).toBe('out');
  expect(consentTo(said('-sms', '+*/news'), 'sms', 'news')).toBe('out');
});

test('the order of the statements does not matter, and more refusals never allow more', () => {
  const scope = fc.constantFrom('*', 'sms', 'email', '*/news', 'sms/news', 'email/news');
  const statements = fc
    .uniqueArray(scope)
    .chain((scopes) => fc.tuple(...scopes.map((each) => fc.constantFrom(`+${each}`, `-${each}`))))
    .map((texts) => said(...texts));
  fc.assert(
    fc.property(
      statements,
      fc.constantFrom('sms', 'email'),
      fc.constantFrom('news', 'x'),
      (all, channel, category) => {
        const verdict = consentTo(all, channel, category);
        expect(consentTo([...all].reverse(), channel, category)).toBe(verdict);
        const refused = all.map((each): ConsentStatement => ({ ...each, state: 'out' }));
        expect(consentTo(refused, channel, category)).not.toBe('in');
      },
    ),
  );
});
