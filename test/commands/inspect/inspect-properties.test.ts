import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arrived, inspect, paste } from '../../support/inspected.ts';
import { tempDir } from '../../support/temp.ts';

/** Texts with everything that a CSV must quote, and what looks like another type or form. */
const text = fc
  .oneof(
    fc.string({ maxLength: 12 }),
    fc.constantFrom(
      ' padded ',
      'a,b',
      'x;y',
      'tab\there',
      'a|b',
      'say "hi"',
      'two\nlines',
      '01234',
      '',
      '33.20',
      'true',
    ),
  )
  .filter((value) => !/[\r\0]/.test(value) && value.isWellFormed());
const numbers = fc.constantFrom('0', '33.20', '-1.5', '1e3', '35.79', '');
const booleans = fc.constantFrom('true', 'false', '');

const dialects = fc.record({
  delimiter: fc.constantFrom(',', ';', '\t', '|'),
  quoted: fc.boolean(),
  record_delimiter: fc.constantFrom('\n', '\r\n'),
  bom: fc.boolean(),
});
const cells = fc.tuple(text, numbers, booleans, text);

// A line feed is quoted also where lines end in CR LF: without quotes, it ends the row.
test('any CSV that csv-stringify writes arrives unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(dialects, fc.array(cells, { minLength: 1, maxLength: 30 }), async (dialect, rows) => {
      const home = tempDir();
      const header = ['user_id', 'event', 'created_at', 'the text', 'amount', 'flag', 'note'];
      const time = (n: number) => `2026-01-31 12:00:${String(n % 60).padStart(2, '0')}`;
      const table = rows.map((row, n) => [`u${n % 7}`, 'viewed', time(n), ...row]);
      writeFileSync(join(home, 'a.csv'), stringify([header, ...table], { ...dialect, quoted_match: '\n' }));
      const { command, delimiter } = await inspect(home, 'a.csv');
      expect(delimiter).toBe(dialect.delimiter);
      const run = await paste(home, command);
      expect(run.code, run.stderr).toBe(0);
      const stored = (await arrived(home)).events;
      expect(stored.map(({ userId, timestamp }) => [userId, timestamp])).toEqual(
        table.map(([user, , at]) => [user, `${at!.replace(' ', 'T')}Z`]),
      );
      for (const [n, { properties }] of stored.entries()) {
        const given = Object.fromEntries(header.slice(3).map((name, i) => [name, rows[n]![i]!]));
        for (const [name, cell] of Object.entries(given)) {
          const value = properties[name];
          if (cell === '') expect(value).toBeUndefined();
          else if (typeof value === 'number') expect(value).toBe(Number(cell));
          else expect(String(value)).toBe(cell);
        }
      }
      const types = (name: string) =>
        new Set(stored.flatMap(({ properties }) => typeof (properties[name] ?? undefined)));
      for (const name of header.slice(3))
        expect([...types(name)].filter((type) => type !== 'undefined').length).toBeLessThanOrEqual(1);
    }),
    { numRuns: 12 },
  );
});

const key = fc
  .string({ minLength: 1, maxLength: 6 })
  .filter((name) => !/[.\0\\]|^__proto__$/.test(name) && name.isWellFormed());
const scalar = fc.oneof(
  fc.string({ maxLength: 10 }).filter((value) => value.isWellFormed()),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);
const nested = (depth: number): fc.Arbitrary<unknown> =>
  depth === 0
    ? scalar
    : fc.oneof(
        scalar,
        fc.dictionary(key, nested(depth - 1), { maxKeys: 3 }),
        fc.array(nested(depth - 1), { maxLength: 3 }),
      );

/** The members of a value by their joined names. */
function flat(value: unknown, name: string, into: Map<string, unknown>): void {
  if (value === null) return;
  if (typeof value !== 'object') into.set(name, value);
  else if (Object.keys(value).length === 0) into.set(name, JSON.stringify(value));
  else for (const [inner, part] of Object.entries(value)) flat(part, `${name}.${inner}`, into);
}

test('any JSON nested three deep arrives with its values unchanged', async () => {
  const forms = fc.constantFrom<(records: unknown[]) => string>(
    (records) => records.map((record) => `${JSON.stringify(record)}\n`).join(''),
    (records) => JSON.stringify(records),
    (records) => JSON.stringify(records, null, 2),
    (records) => JSON.stringify({ meta: { n: 1 }, items: records }),
  );
  await fc.assert(
    fc.asyncProperty(forms, fc.array(nested(3), { minLength: 2, maxLength: 8 }), async (form, values) => {
      const home = tempDir();
      const records = values.map((data, n) => ({
        user: { id: `u${n % 3}` },
        event: 'viewed',
        occurred_at: '2026-01-31T12:00:00Z',
        data,
      }));
      writeFileSync(join(home, 'a.json'), form(records));
      const { command } = await inspect(home, 'a.json');
      const run = await paste(home, command);
      expect(run.code, `${command}\n${run.stderr}`).toBe(0);
      const stored = (await arrived(home)).events;
      expect(stored.map(({ userId }) => userId)).toEqual(values.map((_, n) => `u${n % 3}`));
      expect(stored.map(({ properties }) => properties)).toEqual(
        values.map((value) => {
          const into = new Map<string, unknown>();
          flat(value, 'data', into);
          return JSON.parse(JSON.stringify(Object.fromEntries(into)));
        }),
      );
    }),
    { numRuns: 12 },
  );
});
