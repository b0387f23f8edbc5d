import fc from 'fast-check';
import { expect, it } from 'vitest';
import { writeTerm } from '../../../../src/kit/event-filter/parse.ts';
import type { Occurrence } from '../../../../src/service/webhooks/rules/occurrence.ts';
import {
  FILTER_FIELDS,
  parseOutcomeFilter,
  passes,
} from '../../../../src/service/webhooks/rules/outcome-filter.ts';

const MESSAGE: Occurrence = {
  kind: 'campaign.clicked',
  decisionId: 'dec_1',
  contentId: 'summer_sale',
  hashId: 'aa',
  occurredAt: 0,
  about: { channel: 'in-app', surface: 'home', category: 'offers' },
};
const NOTIFICATION: Occurrence = {
  kind: 'campaign.opened',
  decisionId: '',
  contentId: 'welcome',
  hashId: 'aa',
  notificationId: 'ntf_1',
  occurredAt: 0,
  about: { channel: 'push' },
};

function passing(filter: string): string {
  const parsed = parseOutcomeFilter(filter);
  if (!parsed.ok) throw new Error(`${filter}: ${parsed.message}`);
  const names = [
    passes(parsed.terms, MESSAGE) && 'message',
    passes(parsed.terms, NOTIFICATION) && 'notification',
  ];
  return names.filter(Boolean).join(' ');
}

it.each([
  ['', 'message notification'],
  ['contentId:summer_*', 'message'],
  ['contentId:summer', ''],
  ['contentId:*', 'message'],
  ['templateId:welcome', 'notification'],
  ['contentId:welcome', ''],
  ['type:campaign.*', 'message notification'],
  ['type:campaign.opened,campaign.clicked channel:push,sms', 'notification'],
  ['-surface:home', 'notification'],
  ['surface:home category:offers', 'message'],
  ['category:"offers"', 'message'],
  ['goalId:order', ''],
  ['sale', 'message'],
  ['-sale', 'notification'],
])('%s lets pass: %s', (filter, names) => {
  expect(passing(filter)).toBe(names);
});

it.each([
  ['contentId:', 10, 'expected a value'],
  ['channel:push  user:u1', 14, 'unknown field user'],
  ['price:3', 0, 'unknown field price'],
  ['channel:push surface>3', 13, 'surface is text'],
  ['"open', 0, 'the quote is not closed'],
])('%s is refused at %i', (filter, at, message) => {
  const parsed = parseOutcomeFilter(filter);
  expect(parsed).toMatchObject({ ok: false, at, message: expect.stringContaining(message) });
});

it('finds each field by its value, its beginning and the opposite, whatever the value is', () => {
  const text = fc
    .string({ minLength: 1, maxLength: 20 })
    .filter((value) => !/[\u0000-\u001f\u007f*]/.test(value));
  fc.assert(
    fc.property(text, text, fc.constantFrom(...FILTER_FIELDS), (value, other, field) => {
      const of = {
        ...MESSAGE,
        kind: field === 'type' ? value : 'k',
        contentId: field === 'contentId' ? value : 'c',
      };
      const occurrence = {
        ...of,
        ...(field === 'templateId' && { notificationId: 'n', contentId: value }),
        about: ['channel', 'surface', 'category', 'goalId'].includes(field) ? { [field]: value } : {},
      } as Occurrence;
      const test = (filter: string) => {
        const parsed = parseOutcomeFilter(filter);
        if (!parsed.ok) throw new Error(`${filter}: ${parsed.message}`);
        return passes(parsed.terms, occurrence);
      };
      expect(test(writeTerm(field, value))).toBe(true);
      expect(test(writeTerm(field, value, true))).toBe(false);
      expect(test(writeTerm(field, `${value.slice(0, 2)}*`))).toBe(true);
      expect(test(writeTerm(field, other))).toBe(other === value);
    }),
  );
});
