import { expect, test } from 'vitest';
import { differences } from '../../../../src/features/import/deliver/differences.ts';
import type { ImportFlags } from '../../../../src/features/import/option-table/flags.ts';
import { mappingOf, readingOf } from '../../../../src/features/import/option-table/table.ts';
import { earlierText } from '../../../../src/features/import/report/recovery-commands.ts';
import { type ImportName, optionsText } from '../../../../src/features/import/run/identity.ts';

const NAME: ImportName = {
  kind: 'events',
  inputs: ['/a.csv'],
  cwd: '/',
  baseUrl: 'local',
  workspace: 'w',
  shard: undefined,
  batchSize: 1000,
  limit: undefined,
};

/** The options of an import with these flags, as its journal keeps them. */
function options(flags: Partial<Record<keyof ImportFlags, unknown>> = {}): string {
  const mapping = mappingOf('events', { 'convert-timestamps': false, ...flags } as ImportFlags, undefined);
  return optionsText(NAME, mapping, readingOf(flags as ImportFlags));
}

test('the journal has every option that determines what is sent, null if it was not given', () => {
  const flags = {
    map: ['userId=id', 'event=a.b'],
    set: ['x=1'],
    type: ['n=number'],
    'convert-timestamps': true,
    'time-zone': 'Europe/Berlin',
  };
  expect(JSON.parse(options(flags))).toEqual({
    kind: 'events',
    inputs: ['/a.csv'],
    baseUrl: 'local',
    workspace: 'w',
    shard: null,
    batchSize: 1000,
    limit: null,
    format: null,
    map: [
      ['id', 'userId'],
      ['a.b', 'event'],
    ],
    set: [['x', '1']],
    types: [['n', 'number']],
    convert: 'Europe/Berlin',
    extraFields: null,
    validate: true,
    delimiter: null,
    records: null,
    columns: null,
    encoding: null,
    timestampFormat: null,
    nested: null,
    nulls: null,
    nullTexts: null,
    decimalComma: null,
    thousands: null,
    plan: null,
    drop: null,
    where: null,
    quote: null,
  });
});

test.each<[Partial<Record<keyof ImportFlags, unknown>>, string]>([
  [
    { map: ['userId=a,b', 'timestamp=c+d', 'event=x\\,y'] },
    "--map userId=a,b --map timestamp=c+d --map 'event=x\\,y'",
  ],
  [{ 'timestamp-format': 'DD/MM/YYYY' }, '--timestamp-format DD/MM/YYYY'],
  [
    { 'timestamp-format': 'epoch-s', 'time-zone': 'Europe/Berlin' },
    '--timestamp-format epoch-s --time-zone Europe/Berlin',
  ],
  [{ nested: 'flatten', nulls: 'drop' }, '--nested flatten and with --nulls drop'],
  [{ null: ['NULL', '\\N'] }, "--null NULL --null '\\N'"],
  [{ 'decimal-comma': true }, '--decimal-comma'],
  [{ drop: ['a', 'b'] }, '--drop a --drop b'],
  [{ where: ['a=1', 'a=2', 'b='] }, '--where a=1 --where a=2 --where b='],
  [{ quote: 'none' }, '--quote none'],
])('an earlier run with %j is named by the flags to type', (flags, text) => {
  const found = differences(options(flags), options());
  expect(earlierText(found)).toBe(`with ${text}`);
  expect(differences(options(flags), options(flags))).toEqual([]);
});
