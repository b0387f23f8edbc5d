import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Columns } from '../../../../src/features/import/mapping/csv-columns.ts';
import { simpleRule } from '../../../../src/features/import/mapping/map-rules.ts';
import type { Mapping } from '../../../../src/features/import/mapping/mapping.ts';
import { runSvc } from '../../../support/process/run-svc.ts';
import { MAPPING } from '../../../support/scenarios/importer.ts';
import { tempDir } from '../../../support/temp.ts';

const FIELDS = ['userId', 'event', 'timestamp'];

/** An array that counts how often an element of it is read. */
function counted(values: string[]): { array: string[]; reads: () => number } {
  let reads = 0;
  const array = new Proxy(values, {
    get(target, name, receiver) {
      if (typeof name === 'string' && /^\d+$/.test(name)) reads++;
      return Reflect.get(target, name, receiver);
    },
  });
  return { array, reads: () => reads };
}

/** Work that grows no faster than what it is done on: twice as much, at most two and a half times the work. */
function expectLinear(work: (size: number) => number): void {
  expect(work(4000)).toBeLessThan(2.5 * work(2000));
}

const header = (size: number) => [...FIELDS, ...Array.from({ length: size }, (_, n) => `column ${n}`)];
const many = <T>(size: number, of: (n: number) => T) => Array.from({ length: size }, (_, n) => of(n));

test.each<[string, (size: number) => Mapping]>([
  ['without flags', () => MAPPING],
  [
    'with a --map each',
    (size) => ({ ...MAPPING, map: many(size, (n) => simpleRule(`p${n}`, `column ${n}`)) }),
  ],
  [
    'with a --type each',
    (size) => ({ ...MAPPING, types: new Map(many(size, (n) => [`column ${n}`, 'string'])) }),
  ],
])('the work on a header is linear, %s', (_, mapping) => {
  expectLinear((size) => {
    const { array, reads } = counted(header(size));
    new Columns(array, mapping(size), 'a.csv');
    return reads();
  });
});

test.each<[string, (size: number) => Mapping]>([
  ['--map', (size) => ({ ...MAPPING, map: many(size, (n) => simpleRule(`p${n}`, `colunm ${n}`)) })],
  ['--type', (size) => ({ ...MAPPING, types: new Map(many(size, (n) => [`colunm ${n}`, 'string'])) })],
])('the work on a refusal of many %s is linear', (_, mapping) => {
  expectLinear((size) => {
    const { array, reads } = counted(header(size));
    expect(() => new Columns(array, mapping(size), 'a.csv')).toThrow(/has no columns/);
    return reads();
  });
});

test('the work on a row with an error in each cell is linear', () => {
  const types = new Map(many(20_000, (n) => [`column ${n}`, 'number'] as const));
  const columns = new Columns(header(20_000), { ...MAPPING, types }, 'a.csv');
  const cells = ['u', 'e', '2026-01-31T12:00:00Z', ...many(20_000, () => 'x')];
  let copied = 0;
  const iterate = Array.prototype[Symbol.iterator];
  Array.prototype[Symbol.iterator] = function (this: unknown[]) {
    copied += this.length;
    return iterate.call(this);
  } as typeof iterate;
  try {
    expect(columns.record(cells)).toMatchObject({ field: 'properties.column 0' });
  } finally {
    Array.prototype[Symbol.iterator] = iterate;
  }
  expect(copied).toBeLessThan(70_000);
});

test('16,000 columns: accepts long names, reports a duplicate name, and keeps the error message short', async () => {
  const home = tempDir();
  const write = (names: string[]) =>
    writeFileSync(
      join(home, 'wide.csv'),
      `${names.join(',')}\nu,e,2026-01-31T12:00:00Z${','.repeat(names.length - 3)}\n`,
    );
  const run = (...more: string[]) =>
    runSvc(['events', 'import', 'wide.csv', '--dry-run', '--json', ...more], { home, cwd: home });
  write(header(16_000).map((name) => (name.startsWith('column') ? `${name} ${'n'.repeat(40)}` : name)));
  expect(JSON.parse((await run()).stdout)).toMatchObject({ read: 1, rejected: 0 });
  const refused = await run('--extra-fields', 'reject');
  expect(refused.code).toBe(2);
  expect(refused.stderr.length).toBeLessThan(10_000);
  write([...header(16_000), 'column 7', 'userId']);
  expect((await run()).stderr).toContain('has two columns named userId');
  write(['user', ...header(16_000).slice(1)]);
  const missing = await run();
  expect(missing.stderr).toContain('--map userId=user');
  expect(missing.stderr.length).toBeLessThan(10_000);
});
