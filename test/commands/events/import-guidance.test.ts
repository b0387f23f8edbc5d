// cspell:ignore betrag kunde zeitpunkt
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runSvc } from '../../support/process/run-svc.ts';
import { imported } from '../../support/scenarios/imported.ts';
import { tempDir } from '../../support/temp.ts';

const WHEN = 'must be an ISO 8601 date-time in UTC, such as 2026-01-31T12:00:00Z';
const NULL = 'must be a string, a number or a boolean; --nulls drop leaves nulls out';
const EXTRA = 'is not a known field; use --extra-fields properties or drop';

test('a reject lists every invalid field up to a bound, and each reason once', async () => {
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`p${i}`, null]));
  const records = [
    { userId: 7, timestamp: '31/12/2025', properties: { a: null } },
    { user_id: 'u', name: 'e' },
    { userId: '', event: '', timestamp: '2025-12-31', properties: {} },
    { userId: 'u', event: 'e', timestamp: '2026-01-31T12:00:00Z', properties: many },
  ];
  const { code, rejects } = await imported(
    'a.ndjson',
    records.map((record) => JSON.stringify(record)).join('\n'),
  );
  expect(code).toBe(7);
  expect(rejects()).toEqual([
    `userId must be a string; event: is missing; timestamp: ${WHEN}; this one may be day/month or month/day: name its form, such as --timestamp-format 'DD/MM/YYYY HH:mm'; properties.a: ${NULL}`,
    `userId is missing (also event, timestamp); user_id, name: ${EXTRA}`,
    `userId must not be empty (also event); timestamp: ${WHEN}; this one has no time of day: --timestamp-format YYYY-MM-DD reads it as midnight`,
    `properties.p0 ${NULL} (also properties.p1, properties.p2, properties.p3, properties.p4, properties.p5); and 44 more`,
  ]);
});

test('a reject lists failed conversions and missing fields together', async () => {
  const csv = ['userId,event,timestamp,n,flag', ',e,31/12/2025,x,maybe', 'u,,2026-01-31 12:00,1,true'].join(
    '\n',
  );
  const flags = ['--convert-timestamps', '--type', 'n=number', '--type', 'flag=boolean'];
  expect((await imported('a.csv', csv, ...flags)).rejects()).toEqual([
    "timestamp may be day/month or month/day: name its form, such as --timestamp-format 'DD/MM/YYYY HH:mm'; properties.n: must be a number; properties.flag: must be true, false, 1 or 0; userId: is missing",
    'event is missing',
  ]);
  const ndjson = '{"userId":"","timestamp":"noon"}';
  expect((await imported('a.ndjson', ndjson, '--convert-timestamps')).rejects()).toEqual([
    expect.stringMatching(
      /^timestamp is not a time that can be converted; write .* --timestamp-format .*; userId: must not be empty; event: is missing$/,
    ),
  ]);
  // Without validation it reports errors found while transforming the record; the service reports the others.
  expect((await imported('b.csv', csv, '--no-validate', ...flags)).rejects()).toEqual([
    expect.stringMatching(/^timestamp .*; properties\.n: must be a number; properties\.flag: must be [^;]*$/),
    'event is missing',
  ]);
});

const ZONELESS = [
  '2026-01-31 12:00',
  '2026-01-31T12:00:00Z',
  '2026-01-31 12:00+01',
  '1700000000',
  '2026-07-31T12:00',
];
test.each([
  ['a.csv', `userId,event,timestamp\n${ZONELESS.map((time) => `u,e,${time}`).join('\n')}\n`],
  [
    'a.ndjson',
    ZONELESS.map((timestamp) => JSON.stringify({ userId: 'u', event: 'e', timestamp })).join('\n'),
  ],
])('reports how many times of %s were read as UTC by default', async (file, text) => {
  const said = async (...flags: string[]) =>
    (await imported(file, text, '--convert-timestamps', ...flags)).stderr;
  const notice =
    '2 times had no time zone and were read as UTC; use --time-zone Europe/Berlin for another zone\n';
  expect(await said()).toBe(notice);
  expect(await said('--dry-run')).toBe(notice);
  for (const flags of [['--quiet'], ['--time-zone', 'UTC'], ['--time-zone', 'Europe/Berlin']])
    expect(await said(...flags)).toBe('');
});

test('counts a time without a zone once, also in a row that is read again as text', async () => {
  // A cell that is not a number, and a missing user, are left to the slower way to read a row.
  const row = (n: number) => `2026-01-31 12:00:00,e,${n % 2 ? `u${n}` : ''},${n % 3 ? '1' : 'one'}`;
  const text = `timestamp,event,userId,n\n${Array.from({ length: 12 }, (_, n) => row(n)).join('\n')}\n`;
  for (const flags of [['--convert-timestamps'], ['--timestamp-format', 'YYYY-MM-DD HH:mm:ss']])
    expect((await imported('a.csv', text, ...flags, '--type', 'n=number', '--dry-run')).stderr).toContain(
      '12 times had no time zone',
    );
});

test('a header without required columns: lists them, the existing ones, and the command with likely ones', async () => {
  const csv = 'user_id,kind of event,created_at,Amount\nu,e,2026-01-31 12:00,3\n';
  const { code, stdout, stderr, home } = await imported('a b.csv', csv, '--type=amout=number', '--json');
  expect([code, stdout]).toEqual([2, '']);
  const { error } = JSON.parse(stderr);
  expect(error).toMatchObject({
    code: 'file',
    message:
      'a b.csv has no columns amout, userId, event, timestamp. It has: user_id, kind of event, created_at, Amount',
  });
  const command: string = error.hint;
  expect(command).toBe(
    "svc events import 'a b.csv' -p local --json --map userId=user_id --map 'event=kind of event' --map timestamp=created_at --convert-timestamps --type Amount=number",
  );
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!).slice(1);
  const fixed = await runSvc(words, { home, cwd: home });
  expect(JSON.parse(fixed.stdout)).toMatchObject({ accepted: 1 });
});

test.each([
  [
    'a column that --map misspells; the other --map stays',
    'who,evnt,at\n',
    ['--map', 'userId=who', '--map', 'event=event', '--map', 'timestamp=at', '--convert-timestamps'],
    'a.csv has no column event. It has: who, evnt, at',
    'svc events import a.csv -p local --convert-timestamps --map userId=who --map event=evnt --map timestamp=at',
  ],
  [
    'nothing alike',
    'a,b\n',
    ['--set', 'timestamp=2026-01-31T12:00:00Z'],
    'a.csv has no columns userId, event. It has: a, b',
    'svc events import a.csv -p local --set timestamp=2026-01-31T12:00:00Z --map userId=COLUMN --set event=EVENT_NAME',
  ],
  [
    'nothing but that --map is the other way round',
    'Cust No,event,timestamp\n',
    ['--map', 'Cust No=userId'],
    "--map 'Cust No=userId' is the other way round: the field comes first",
    "svc events import a.csv -p local --map 'userId=Cust No'",
  ],
  [
    'a column beside a --map that is the other way round',
    'Cust No,event,date\n',
    ['--map', 'Cust No=userId', '--convert-timestamps'],
    "--map 'Cust No=userId' is the other way round: the field comes first; a.csv has no column timestamp. It has: Cust No, event, date",
    "svc events import a.csv -p local --convert-timestamps --map 'userId=Cust No' --map timestamp=date",
  ],
])('a header without %s', async (_, header, flags, message, command) => {
  const { code, stdout, stderr } = await imported('a.csv', header, ...flags);
  expect([code, stdout, stderr]).toEqual([2, '', `error: ${message}\n  next: ${command}\n`]);
});

test('a header of thousands of columns is listed in part', async () => {
  const header = Array.from({ length: 5000 }, (_, i) => `${'c'.repeat(100)}${i}`).join(',');
  const { stderr } = await imported('a.csv', `${header}\n`);
  expect(stderr).toMatch(/ and 4,970 more\n/);
  expect(stderr.length).toBeLessThan(3000);
});

const bad = '{"userId":"u","event":"e","timestamp":"bad"}\n';

test('the summary counts rejects by field, the most frequent first, up to a bound', async () => {
  const time = '2026-01-31T12:00:00Z';
  const few = [
    ...Array.from({ length: 1200 }, () => ({ userId: 'u', event: 'e', timestamp: 'noon' })),
    { userId: 7, event: 'e', timestamp: time },
    { userId: 'u', event: 'e', timestamp: time },
  ].map((record) => JSON.stringify(record));
  const { stdout } = await imported('a.ndjson', few.join('\n'), '--no-preflight');
  expect(stdout).toContain('  rejected 1,201: timestamp 1,200, userId 1\n');
  const dry = await imported('a.ndjson', few.join('\n'), '--dry-run');
  expect(dry.stdout).toContain('1,201 rejected: timestamp 1,200, userId 1\n');
  expect((await imported('a.ndjson', few.at(-1)!)).stdout).toContain('  rejected 0\n');
  const many = Array.from({ length: 500 }, (_, i) =>
    JSON.stringify({ userId: 'u', event: 'e', timestamp: time, properties: { [`p${i}`]: null } }),
  );
  const { stdout: long } = await imported('a.ndjson', many.join('\n'), '--no-preflight');
  expect(long).toMatch(/ {2}rejected 500: (properties\.p\d+ 1, ){5}others 495\n/);
});

test('a stopped import reports whether the input has more records', async () => {
  const good = bad.replace('bad', '2026-01-31T12:00:00Z');
  const read = async (file: string, text: string | Buffer, ...flags: string[]) =>
    /^ {2}read .*$/m.exec((await imported(file, text, '--batch-size', '1', ...flags)).stdout)![0];
  expect(await read('a.ndjson', bad + good + good, '--fail-fast')).toBe(
    '  read     1; the rest of the input was not read',
  );
  expect(await read('a.ndjson', good + good + bad, '--fail-fast')).toBe('  read     3');
  expect(await read('a.ndjson', good + good + bad)).toBe('  read     3');
});

test('the next steps work for any file name', async () => {
  const record = { userId: 'u', event: 'e', timestamp: '2026-01-31T12:00:00Z' };
  const good = JSON.stringify(record);
  const home = tempDir();
  const svc = (...argv: string[]) =>
    runSvc(['events', 'import', '-p', 'local', ...argv], { home, cwd: home });

  writeFileSync(join(home, '-x.ndjson'), `${good}\n{}\n`);
  const partly = await svc('--batch-size', '5', '--', '-x.ndjson');
  expect(partly.stderr).toContain(
    'then: svc events import ./-x.ndjson.rejects.ndjson -p local --batch-size 5\n',
  );
  const stopped = await svc('--max-errors', '1', '--restart', '--', '-x.ndjson');
  expect(stopped.stderr).toContain('next: svc events import -p local --max-errors 1 --resume -- -x.ndjson\n');

  writeFileSync(join(home, 'my file.gz'), 'x');
  expect((await svc('my file.gz')).stderr).toContain("next: file 'my file.gz'\n");

  const name = 'a\nerror: \u001b[2Jb';
  const absent = await svc(name);
  expect(absent.stderr).toBe('error: no such file: a\\nerror: \\x1b[2Jb\n  next: ls -l\n');
  mkdirSync(join(home, name));
  expect((await svc(name)).stderr).toContain("next: ls -A $'a\\x0aerror: \\x1b[2Jb'\n");

  writeFileSync(join(home, "it's"), 'no journal, and long enough not to be taken for the beginning of one');
  const broken = await svc('-', '--checkpoint', "it's");
  expect(broken.stderr).toContain(
    `a new journal: svc events import -p local - --restart --checkpoint '${home}/it'\\''s.new'\n`,
  );
});

test('the command for missing columns keeps the decimal comma of the numbers', async () => {
  const rows = 'Kunde;Zeitpunkt;Betrag\nK-1;05.10.2026 02:16;1,50\nK-2;15.10.2026 02:16;1.002,50\n';
  const { code, stderr } = await imported('a.csv', rows);
  expect(code).toBe(2);
  expect(stderr).toMatch(/next: svc events import a\.csv .* --decimal-comma/);
});
