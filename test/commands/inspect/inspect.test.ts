import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { ANSWERS, type Arrived, arrived, inspect, paste, REAL } from '../../support/inspected.ts';
import { ROOT, runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

/** Columns whose texts are JSON numbers or booleans in every row go out as such; identifiers stay text. */
const NOT_NUMBERS = /(^|_)id$|^id$/;

/** Rows of a CSV, read with csv-parse, as properties by the documented rules. */
function rowsOf(text: string): Record<string, string>[] {
  const [header, ...rows] = parse(text, { relax_column_count: true }) as string[][];
  const seen = new Map<string, number>();
  const names = header!.map((name) => {
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    return count === 0 ? name : `${name}_${count}`;
  });
  return rows.map((row) => Object.fromEntries(row.map((cell, i) => [names[i], cell])));
}

function typed(rows: Record<string, string>[], name: string): (cell: string) => unknown {
  const cells = rows.map((row) => row[name]!).filter((cell) => cell !== '');
  const every = (pattern: RegExp) => cells.length > 0 && cells.every((cell) => pattern.test(cell));
  if (every(/^(true|false)$/i)) return (cell) => cell.toLowerCase() === 'true';
  if (every(/^-?(0|[1-9]\d*)(\.\d+)?$/) && !NOT_NUMBERS.test(name)) return Number;
  return (cell) => cell;
}

interface Expected {
  readonly file: string;
  readonly user: string | undefined;
  readonly event: string | undefined;
  readonly time: string;
  readonly id?: string;
  /** Rows that are rejected, by number, and why. */
  readonly rejected?: readonly number[];
}

const TABLES: readonly Expected[] = [
  { file: 'mixpanel_event.csv', user: 'distinct_id', event: 'name', time: 'time' },
  // The names of three events have 260 characters, and at most 256 are allowed.
  {
    file: 'amplitude_event.csv',
    user: 'user_id',
    event: 'event_type',
    time: 'event_time',
    id: 'uuid',
    rejected: [6, 7, 8],
  },
  { file: 'ga4_event.csv', user: 'user_id', event: 'name', time: 'timestamp' },
  { file: 'open_bandit_bts_women.csv', user: undefined, event: undefined, time: 'timestamp' },
];

test.each(TABLES)('$file: the suggested command imports what csv-parse reads', async (expected) => {
  const { file, user, event, time, id, rejected = [] } = expected;
  const home = tempDir();
  copyFileSync(join(REAL, file), join(home, file));
  const found = await inspect(home, file);
  const roles = Object.fromEntries(found.columns.map(({ role, name }) => [role, name]));
  expect([roles.userId, roles.event, roles.timestamp, roles.eventId]).toEqual([user, event, time, id]);
  expect(found.ambiguities.map(({ flag }) => flag)).toEqual([
    ...(user === undefined ? ['--set userId=USER_ID'] : []),
    ...(event === undefined ? ['--set event=EVENT_NAME'] : []),
  ]);
  const rows = rowsOf(readFileSync(join(REAL, file), 'utf8'));
  expect(found).toMatchObject({ format: 'csv', rows: rows.length, rowsExact: true, header: true });
  const run = await paste(home, found.command);
  expect(JSON.parse(run.stdout)).toMatchObject({
    read: rows.length,
    accepted: rows.length - rejected.length,
    rejected: rejected.length,
    firstTimestamp: found.timestamps.first,
    lastTimestamp: found.timestamps.last,
  });
  const names = Object.keys(rows[0]!).filter(
    (name) => name !== '' && ![user, event, time, id].includes(name),
  );
  const types = new Map(names.map((name) => [name, typed(rows, name)]));
  const wanted = rows.flatMap((row, index): Arrived[] => {
    if (rejected.includes(index)) return [];
    const properties: Record<string, unknown> = {};
    for (const name of names) {
      if (name === 'properties') Object.assign(properties, JSON.parse(row[name]!));
      else if (row[name] !== '') properties[name] = types.get(name)!(row[name]!);
    }
    const timestamp = row[time]!.replace(' ', 'T').replace('+00:00', '');
    return [
      {
        userId: user === undefined ? ANSWERS.userId : row[user]!,
        event: event === undefined ? ANSWERS.event : row[event]!,
        timestamp: `${timestamp}Z`,
        ...(id === undefined ? {} : { eventId: row[id]! }),
        properties,
      },
    ];
  });
  expect((await arrived(home)).events).toEqual(wanted);
});

/** The members of a value by their joined names, as `--nested flatten` has them. */
function flat(value: unknown, name: string, into: Record<string, unknown>): void {
  if (value === null) return;
  if (typeof value !== 'object') into[name] = value;
  else if (Object.keys(value).length === 0) into[name] = JSON.stringify(value);
  else
    for (const [key, inner] of Object.entries(value)) flat(inner, name === '' ? key : `${name}.${key}`, into);
}

test('github_events.json: the suggested command imports what JSON.parse reads', async () => {
  const home = tempDir();
  copyFileSync(join(REAL, 'github_events.json'), join(home, 'github_events.json'));
  const found = await inspect(home, 'github_events.json');
  expect(found).toMatchObject({ format: 'json', rows: 30, rowsExact: true, ambiguities: [] });
  const run = await paste(home, found.command);
  expect(JSON.parse(run.stdout)).toMatchObject({ read: 30, accepted: 30 });
  const records = JSON.parse(readFileSync(join(REAL, 'github_events.json'), 'utf8')) as Record<
    string,
    unknown
  >[];
  const wanted = records.map((record) => {
    const properties: Record<string, unknown> = {};
    flat(record, '', properties);
    const { 'actor.login': userId, type: event, created_at: timestamp, id: eventId, ...rest } = properties;
    return { userId, event, timestamp, eventId, properties: rest };
  });
  expect((await arrived(home)).events).toEqual(wanted);
});

test('nginxplus_json_logs.json: epoch milliseconds, and no user and no event to be found', async () => {
  const home = tempDir();
  copyFileSync(join(REAL, 'nginxplus_json_logs.json'), join(home, 'a.ndjson'));
  const found = await inspect(home, 'a.ndjson');
  expect(found.ambiguities).toEqual([
    { column: 'userId', choices: [], flag: '--set userId=USER_ID' },
    { column: 'event', choices: [], flag: '--set event=EVENT_NAME' },
  ]);
  expect(JSON.parse((await paste(home, found.command)).stdout)).toMatchObject({ read: 8, accepted: 8 });
  const lines = readFileSync(join(home, 'a.ndjson'), 'utf8').trim().split('\n');
  const wanted = lines.map((line) => {
    const properties: Record<string, unknown> = {};
    flat(JSON.parse(line), '', properties);
    const { timestamp, ...rest } = properties;
    return {
      ...ANSWERS,
      timestamp: new Date(timestamp as number).toISOString(),
      properties: rest,
    };
  });
  expect((await arrived(home)).events).toEqual(wanted);
});

test('reviews.csv.gz: what the command of the README says, but for the name of the event', async () => {
  const home = tempDir();
  copyFileSync(join(ROOT, 'examples/reviews.csv.gz'), join(home, 'reviews.csv.gz'));
  const found = await inspect(home, 'reviews.csv.gz');
  expect(found.command).toBe(
    'svc events import reviews.csv.gz --map userId=reviewerId --set event=EVENT_NAME --map timestamp=date --convert-timestamps',
  );
  expect(found).toMatchObject({ compression: 'gzip', rows: 5000, rowsExact: true, delimiter: ',' });
  const types = Object.fromEntries(found.columns.map(({ name, type }) => [name, type]));
  expect(types).toEqual({ reviewerId: 'string', vendorId: 'string', rating: 'number', date: 'string' });
});

test('the report fits a terminal of 80 columns, and ends in the command', async () => {
  const home = tempDir();
  copyFileSync(join(REAL, 'ga4_event.csv'), join(home, 'ga4_event.csv'));
  const { code, stdout } = await runSvc(['events', 'inspect', 'ga4_event.csv'], {
    home,
    cwd: home,
    columns: 80,
  });
  expect(code).toBe(0);
  const esc = String.fromCharCode(27);
  const lines = stdout
    .replaceAll(new RegExp(`${esc}\\[\\d+m`, 'g'), '')
    .trimEnd()
    .split('\n');
  const table = lines.filter((line) => line.includes('│'));
  expect(table.length).toBeGreaterThan(20);
  expect(table.filter((line) => line.length > 80)).toEqual([]);
  expect(lines.at(-1)).toMatch(/^ {2}svc events import ga4_event\.csv --map userId=user_id /);
});

test('dates that may be day/month or month/day are asked for, with both choices', async () => {
  const home = tempDir();
  const csv = 'user,event,when\nu1,view,01/02/2026 10:00\nu2,buy,03/04/2026 11:00\n';
  writeFileSync(join(home, 'a.csv'), csv);
  const asked = await inspect(home, 'a.csv');
  expect(asked.ambiguities).toHaveLength(1);
  const [{ column, choices, flag }] = asked.ambiguities as [Inspected['ambiguities'][number]];
  expect([column, flag]).toEqual(['when', '--timestamp-format TIMESTAMP_FORMAT']);
  expect(choices).toEqual(expect.arrayContaining([expect.stringMatching(/^D/), expect.stringMatching(/^M/)]));
  expect(asked.command).toContain('--timestamp-format TIMESTAMP_FORMAT');
  writeFileSync(join(home, 'b.csv'), `${csv}u2,buy,31/12/2026 11:00\n`);
  const decided = await inspect(home, 'b.csv');
  expect(decided.ambiguities).toEqual([]);
  expect(decided.timestamps).toMatchObject({ first: '2026-02-01T10:00:00Z', last: '2026-12-31T11:00:00Z' });
});

test('--json before the file leaves the file in the suggested command', async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'a.csv'), 'userId,event,timestamp\nu,e,2026-01-01T00:00:00Z\n');
  const { stdout } = await runSvc(['events', 'inspect', '--json', 'a.csv'], { cwd });
  expect(JSON.parse(stdout).command).toBe('svc events import a.csv');
});

test('--save writes the mapping that --mapping reads, and the flags typed are part of both', async () => {
  const home = tempDir();
  copyFileSync(join(REAL, 'mixpanel_event.csv'), join(home, 'a.csv'));
  const { command } = await inspect(home, 'a.csv', '--save', 'm.json', '--set', 'event=played');
  expect(command).toContain('--set event=played');
  expect(JSON.parse(readFileSync(join(home, 'm.json'), 'utf8'))).toMatchObject({
    version: 1,
    map: { userId: 'distinct_id', timestamp: 'time' },
    set: { event: 'played' },
    convertTimestamps: true,
  });
  const run = await paste(home, 'svc events import a.csv --mapping m.json');
  expect(JSON.parse(run.stdout)).toMatchObject({ read: 5, accepted: 5 });
  expect(new Set((await arrived(home)).events.map(({ event }) => event))).toEqual(new Set(['played']));
});

test('a large file is sampled, and says so', async () => {
  const home = tempDir();
  const row = 'u1,view,2026-01-31T12:00:00Z,some text to make the row longer\n';
  writeFileSync(join(home, 'a.csv'), `userId,event,timestamp,note\n${row.repeat(600_000)}`);
  const found = await inspect(home, 'a.csv');
  expect(found.rowsExact).toBe(false);
  expect(Math.abs(found.rows - 600_000)).toBeLessThan(6000);
});

test.each([
  [['missing.csv'], /no such file/i],
  [[], /no input was given/],
])('inspect %j exits 2 with a next step', async (files, message) => {
  const home = tempDir();
  const { code, stdout, stderr } = await runSvc(['events', 'inspect', ...files], { home, cwd: home });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(message);
  expect(stderr).toMatch(/next: /);
});

type Inspected = Awaited<ReturnType<typeof inspect>>;

test('a first record that is too long is not called none', async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'a.ndjson'), `{"userId":"u","text":"${'x'.repeat(12_000_000)}"}\n`);
  writeFileSync(join(cwd, 'empty.ndjson'), '\n\n');
  const long = await runSvc(['events', 'inspect', 'a.ndjson'], { cwd });
  expect([long.code, long.stderr]).toEqual([
    2,
    expect.stringContaining('a.ndjson has no record of at most 8 MiB at its beginning\n'),
  ]);
  const empty = await runSvc(['events', 'inspect', 'empty.ndjson'], { cwd });
  expect(empty.stderr).toContain('empty.ndjson has no records\n');
});
