import { expect, test } from 'vitest';
import { amountOf } from '../../../../src/features/import/mapping/amounts.ts';
import { imported } from '../../../support/scenarios/imported.ts';
import { suggested } from '../../../support/suggested.ts';

test.each([
  ['£1,183.23', '£', '1,183.23'],
  ['12,5 %', '%', '12,5'],
  ['(3.20)', '', '-3.20'],
  ['($3.20)', '$', '-3.20'],
  ['-€5', '€', '-5'],
  ['€-5', '€', '-5'],
  ['1.306,50 EUR', 'EUR', '1.306,50'],
  ['US$ 7', 'US$', '7'],
  ['12.50-', '', '-12.50'],
  ['.94', '', '.94'],
  ['1 306 kr', 'kr', '1 306'],
])('%s is an amount', (text, unit, number) => {
  expect(amountOf(text)).toMatchObject({ unit, number });
});

test.each([
  '(3.20',
  '3.20)',
  '-(3.20)',
  '--3',
  '-3-',
  '£3€',
  'SKU 123',
  '2026-01-31',
  '12:30',
  '10.0.0.1x',
  '',
  '()',
  '%',
  '\u001b[31m5 €',
  `£${'1'.repeat(100)}`,
  '£'.repeat(10_000),
])('%j is none', (text) => {
  expect(amountOf(text)).toBeUndefined();
});

const table = (header: string, ...cells: string[]) =>
  `userId;event;timestamp;${header}\n${cells.map((cell, i) => `u${i};e;2026-01-31T12:00:00Z;${cell}\n`).join('')}`;

test.each([
  [table('Sum', '£1,183.23', '£0.50', '-£2,000.00'), "--thousands , --type 'Sum=amount:£'"],
  [table('Sum', '$5', '($3.20)', '$7'), "--type 'Sum=amount:$'"],
  [table('Rate', '12,5 %', '7 %', '0,25 %'), '--decimal-comma --type Rate=amount:%'],
  [table('Change', '(3.20)', '4.10', '(5)'), '--type Change=amount'],
  [table('Sum', '€5', '-', '€7'), "--null - --type 'Sum=amount:€'"],
  // Two units, notes, and what is text.
  [table('Sum', '€5', '$7', '€9'), ''],
  [table('Note', '(1)', '(2)', '(3)'), ''],
  [table('Text', '5 %', 'half', '7 %'), ''],
  [table('Order ID', '5 %', '6 %', '7 %'), ''],
])('amounts are suggested where all of a column are in one unit: %j', async (text, flags) => {
  expect(await suggested(text)).toMatchObject({ flags, rejected: 0 });
});

test('an amount is sent as a number, and one in another unit is rejected', async () => {
  const text = table('Sum', '£1,183.23', '(£0.50)', '7', '€7', 'free');
  const flags = ['--thousands', ',', '--type', 'Sum=amount:£', '--json'];
  const run = await imported('a.csv', text, ...flags);
  expect(JSON.parse(run.stdout)).toMatchObject({ accepted: 3, rejected: 2, types: { Sum: 'number' } });
  expect(run.rejects()).toEqual([
    'properties.Sum must be an amount in £, and is in €',
    'properties.Sum must be an amount',
  ]);
  const json = `{"userId":"u","event":"e","timestamp":"2026-01-31T12:00:00Z","properties":{"Sum":"(£1,183.23)"}}\n`;
  expect((await imported('a.ndjson', json, ...flags)).code).toBe(0);
});
