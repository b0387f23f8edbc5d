import { expect, test } from 'vitest';
import { fromSerial } from '../../../../../src/features/import/mapping/time/serial.ts';
import { suggested } from '../../../../support/suggested.ts';

test.each([
  ['45292', 'UTC', '2024-01-01T00:00:00Z'],
  ['45292.75', 'UTC', '2024-01-01T18:00:00Z'],
  ['45292.4375', 'Europe/Berlin', '2024-01-01T09:30:00Z'],
  ['45292.50000005787', 'UTC', '2024-01-01T12:00:00.005Z'],
  ['45292.99999999', 'UTC', '2024-01-01T23:59:59.999Z'],
  ['61', 'UTC', '1900-03-01T00:00:00Z'],
])('day %s in %s is %s', (text, zone, utc) => {
  expect(fromSerial(text, zone)).toMatchObject({ ok: true, utc });
});

test.each(['60', '0', '-1', '2958466', '1e5', '45,292', '', 'NaN', '9'.repeat(400)])('%s is none', (text) => {
  expect(fromSerial(text, 'UTC').ok).toBe(false);
});

const table = (name: string, more = '') =>
  `userId,event,${name}${more && ',when'}\n${Array.from({ length: 5 }, (_, i) => `u${i},e,${45292 + i}${more}\n`).join('')}`;

test('days of a spreadsheet are asked about where the name of their column is that of a date', async () => {
  const asked = await suggested(table('Order Date'));
  expect(asked.flags).toBe("--map 'timestamp=Order Date' --timestamp-format TIMESTAMP_FORMAT");
  expect(asked.note).toContain('TIMESTAMP_FORMAT is excel, if the numbers count days since 1900');
  expect((await suggested(table('amount'))).flags).toContain('--set timestamp=TIMESTAMP');
  // A column with times is likelier.
  expect((await suggested(table('date', ',2026-01-31T12:00:00Z'))).flags).toContain('--map timestamp=when');
});
