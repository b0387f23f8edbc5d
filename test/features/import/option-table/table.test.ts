import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import EventsImport from '../../../../src/commands/events/import.ts';
import EventsInspect from '../../../../src/commands/events/inspect.ts';
import UsersImport from '../../../../src/commands/users/import.ts';
import { MappingDocument } from '../../../../src/features/import/mapping-file/document.ts';
import { documentOf, flagsOf } from '../../../../src/features/import/mapping-file/flags.ts';
import { mappingFlags } from '../../../../src/features/import/option-table/flags.ts';
import { flagsOfKey, OPTIONS } from '../../../../src/features/import/option-table/table.ts';
import { recoveryCommands } from '../../../../src/features/import/report/recovery-commands.ts';
import { commandLine } from '../../../../src/kit/shell.ts';
import { startStandIn } from '../../../support/peers/stand-in.ts';
import { runSvc } from '../../../support/process/run-svc.ts';
import { tempDir } from '../../../support/temp.ts';

const TABLE = 'src/features/import/option-table/flags.ts';
const EVENT = { userId: 'u', event: 'e', timestamp: '2026-01-01T00:00:00Z' };
const NDJSON = `${JSON.stringify(EVENT)}\n`;
const CSV = 'userId,event,timestamp,n\nu,e,2026-01-01T00:00:00Z,1\n';

/** For each flag that determines what is sent: a use of it, and an input of which a record is sent with and without it. */
const USES: Readonly<Record<string, { words: string[]; input?: string; also?: string[] }>> = {
  format: { words: ['--format', 'ndjson'] },
  records: { words: ['--records', 'a.b'], input: JSON.stringify({ a: { b: [EVENT] } }) },
  columns: { words: ['--columns', 'userId,event,timestamp,"n,""m"'], input: CSV },
  encoding: { words: ['--encoding', 'windows-1252'] },
  map: {
    words: ['--map', 'userId=userId,guest', '--map', 'sum=x\\,y+n'],
    input: 'userId,event,timestamp,n,"x,y",guest\nu,e,2026-01-01T00:00:00Z,one,two,g\n',
  },
  set: { words: ['--set', 'a=1=2', '--set', 'b='], input: CSV },
  type: { words: ['--type', 'n=string'], input: CSV },
  delimiter: { words: ['--delimiter', 'tab'], input: CSV.replaceAll(',', '\t') },
  quote: { words: ['--quote', 'none'], input: CSV },
  'convert-timestamps': { words: ['--convert-timestamps'] },
  'timestamp-format': { words: ['--timestamp-format', 'YYYY-MM-DDTHH:mm:ssZ'] },
  'time-zone': { words: ['--time-zone', 'Europe/Berlin'], also: ['--convert-timestamps'] },
  'extra-fields': { words: ['--extra-fields', 'drop'] },
  nested: { words: ['--nested', 'flatten'] },
  null: { words: ['--null', 'NULL', '--null', '\\N'] },
  nulls: { words: ['--nulls', 'drop'] },
  'decimal-comma': { words: ['--decimal-comma'] },
  thousands: { words: ['--thousands', 'space'] },
  drop: { words: ['--drop', 'x', '--drop', 'y'] },
  where: { words: ['--where', 'event=e', '--where', 'event=f', '--where', 'userId=u'] },
  'no-validate': { words: ['--no-validate'] },
  plan: { words: ['--plan', 'plan.json'] },
  'batch-size': { words: ['--batch-size', '7'] },
  shard: { words: ['--shard', '1/1'] },
  limit: { words: ['--limit', '5'] },
};

const sending = OPTIONS.filter(({ unsent }) => unsent === undefined);

test('each flag of the import is in the journal, or says why it does not change what is sent', () => {
  expect(Object.keys(UsersImport.flags)).toEqual(Object.keys(EventsImport.flags));
  expect(Object.keys(EventsInspect.flags)).toEqual([...Object.keys(mappingFlags), 'save']);
  expect(OPTIONS.map(({ flag }) => flag)).toEqual(Object.keys(EventsImport.flags));
  for (const { flag, sent, within, unsent } of OPTIONS)
    expect(
      [sent, within, unsent].filter((effect) => effect !== undefined).length,
      `--${flag} would be lost by --resume: give it ...sent(…) in ${TABLE}, or ...unsent('the reason') if it does not change what is sent`,
    ).toBe(1);
  expect(
    Object.keys(USES).sort(),
    'add a use of each flag that determines what is sent to USES of this test, and remove those of other flags',
  ).toEqual(sending.map(({ flag }) => flag).sort());
});

test.each(Object.entries(USES))(
  '--resume without --%s is refused, and its hint types the flag',
  async (flag, { words, input = NDJSON, also = [] }) => {
    const service = await startStandIn();
    const cwd = tempDir();
    const home = tempDir();
    writeFileSync(join(cwd, 'input'), input);
    writeFileSync(join(cwd, 'plan.json'), JSON.stringify({ events: { plan: [{ event: 'e' }] } }));
    const journal = ['--checkpoint', 'j'];
    const run = (...more: string[]) =>
      runSvc(['events', 'import', 'input', ...journal, ...more, '--json'], { env: service.env, cwd, home });
    const first = await run(...also, ...words, '--no-preflight');
    expect(JSON.parse(first.stdout), first.stderr).toMatchObject({ accepted: 1 });
    const resumed = await run(...also, '--resume');
    const advice = `--resume went on without --${flag}: check its ...sent(…) in ${TABLE}`;
    expect([resumed.code, resumed.stdout], advice).toEqual([2, '']);
    const errorOf = ({ stderr }: { stderr: string }) => JSON.parse(stderr.trim().split('\n').at(-1)!).error;
    const typed = commandLine(flag === 'time-zone' ? [...also, ...words] : words);
    expect(errorOf(resumed).message, advice).toContain(typed);
    const same = await run(...also, ...words, '--resume');
    expect([same.code, JSON.parse(same.stdout).accepted], same.stderr).toEqual([0, 0]);
    if (flag === 'records') return; // Nothing can be appended to one JSON document.
    appendFileSync(join(cwd, 'input'), input.trimEnd().split('\n').at(-1)!);
    const command = `svc events import input ${commandLine([...journal, '--json'])} ${typed} --resume`;
    expect(errorOf(await run(...also, '--resume')).hint, advice).toContain(command);
  },
);

test.each(sending)(
  'a command that resumes without --$flag does not type it',
  ({ flag, sent, within = [] }) => {
    const { words, also = [] } = USES[flag]!;
    const { resumeAs } = recoveryCommands('events import', ['input', ...also, ...words]);
    for (const name of sent ? [sent.key] : within)
      expect(resumeAs([{ name, before: null }])).not.toContain(`--${flag} `);
  },
);

test('the flags within an option are those that type it', () => {
  expect([flagsOfKey('convert'), flagsOfKey('timestampFormat')]).toEqual([
    ['convert-timestamps', 'time-zone'],
    ['timestamp-format', 'time-zone'],
  ]);
});

test('each mapping flag that determines what is sent has a key in mapping files', () => {
  const { $schema, version, title, documentation, ...keys } = MappingDocument.shape;
  const flags = Object.keys(mappingFlags).filter((flag) => Object.hasOwn(USES, flag));
  expect(Object.keys(keys).length, `a key of MappingDocument has no flag in ${TABLE}`).toBe(flags.length);
  for (const flag of flags) {
    const { multiple, type } = OPTIONS.find((option) => option.flag === flag)!;
    const values = USES[flag]!.words.filter((_, index) => index % 2 === 1);
    const value = type === 'boolean' ? true : multiple ? values : values[0];
    const document = documentOf({ [flag]: value });
    expect(MappingDocument.safeParse(document).error, `--${flag} in document.ts`).toBeUndefined();
    expect(flagsOf(document), `add a key for --${flag} to document.ts`).toEqual({ [flag]: value });
  }
});
