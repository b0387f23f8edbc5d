import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import Database from 'libsql';
import { expect, test } from 'vitest';
import { startStandIn } from '../../support/peers/stand-in.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const event = (n: number) => `{"userId":"u${n}","event":"e","timestamp":"2026-01-31T12:00:00Z"}`;
const lines = (count: number) => Array.from({ length: count }, (_, n) => event(n)).join('\n');

test('every request conforms to the specification, and records are sent byte for byte', async () => {
  const service = await startStandIn();
  const cwd = tempDir();
  const exact =
    '{"userId":"u","event":"e","timestamp":"2026-01-31T12:00:00Z","properties":{"b":12345678901234567890,"p":1.50,"s":"\\ud83d\\ude00 😀 \\u00e9"}}';
  writeFileSync(join(cwd, 'a.ndjson'), `${exact}\n${lines(2500)}\n`);
  const run = await runSvc(['events', 'import', 'a.ndjson', '--json'], { env: service.env, cwd });
  expect(run.code).toBe(0);
  expect(JSON.parse(run.stdout)).toMatchObject({ accepted: 2501, batches: 3, requests: 3 });
  expect(service.requests.some(({ raw }) => raw.toString().startsWith(`{"events":[${exact},`))).toBe(true);
});

test('--dry-run validates everything and plans, without a request, a service or a journal', async () => {
  const cwd = tempDir();
  const home = tempDir();
  writeFileSync(join(cwd, 'a.ndjson.gz'), gzipSync(`${lines(2500)}\nbad\n`));
  const run = await runSvc(['events', 'import', 'a.ndjson.gz', '--dry-run', '--json'], { cwd, home });
  expect(run.code).toBe(7);
  expect(JSON.parse(run.stdout)).toMatchObject({
    dryRun: true,
    read: 2501,
    accepted: 0,
    rejected: 1,
    unsent: 2500,
    requests: 0,
    plan: { batches: 3, requests: 3, limit: 600, limitSeen: false, leastSeconds: 0 },
  });
  expect(readFileSync(join(cwd, 'a.ndjson.gz.dry-run.rejects.ndjson'), 'utf8')).toContain('"line":2501');
  expect(existsSync(join(home, 'data', 'imports'))).toBe(false);
});

test.each([
  [['--drop', 'timestamp'], '--drop timestamp leaves out the timestamp of all records'],
  [
    ['--map', 'userId=timestamp', '--drop', 'timestamp'],
    '--drop timestamp leaves out the userId of all records',
  ],
])('%j is refused, whatever the format: nothing could be sent', async (flags, message) => {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'a.csv'), 'userId,event,timestamp\nu,e,2026-01-31T12:00:00Z\n');
  writeFileSync(join(cwd, 'a.ndjson'), `${event(1)}\n`);
  for (const file of ['a.csv', 'a.ndjson']) {
    const refused = await runSvc(['events', 'import', file, '-n', ...flags], { cwd });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(message);
    // What the hint says works.
    const constants = ['--set', 'userId=u', '--set', 'timestamp=2026-01-31T12:00:00Z'];
    const set = await runSvc(['events', 'import', file, '-n', '--drop', 'timestamp', ...constants], { cwd });
    expect([set.code, set.stderr]).toEqual([0, expect.not.stringContaining('error')]);
  }
});

test('a dry run does not change the rejects file of an import', async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'a.ndjson'), `${event(1)}\nbad\n`);
  writeFileSync(join(cwd, 'a.ndjson.rejects.ndjson'), 'kept');
  const run = await runSvc(['events', 'import', 'a.ndjson', '-n', '--json'], { cwd });
  expect(JSON.parse(run.stdout).rejectsFile).toBe('a.ndjson.dry-run.rejects.ndjson');
  expect(readFileSync(join(cwd, 'a.ndjson.rejects.ndjson'), 'utf8')).toBe('kept');
  expect(readFileSync(join(cwd, 'a.ndjson.dry-run.rejects.ndjson'), 'utf8')).toContain('"line":2');
});

test.each([
  [
    'another database',
    (path: string) => {
      const database = new Database(path);
      database.exec('CREATE TABLE mine (x)');
      database.close();
    },
  ],
  ['a text file', (path: string) => writeFileSync(path, 'x'.repeat(5000))],
])('--checkpoint does not touch %s', async (_, make) => {
  const service = await startStandIn();
  const cwd = tempDir();
  writeFileSync(join(cwd, 'a.ndjson'), event(1));
  make(join(cwd, 'j'));
  const before = readFileSync(join(cwd, 'j'));
  const run = await runSvc(['events', 'import', 'a.ndjson', '--checkpoint', 'j', '--json'], {
    env: service.env,
    cwd,
  });
  expect(run.code).toBe(2);
  expect(JSON.parse(run.stderr).error).toMatchObject({
    code: 'data',
    hint: expect.stringContaining('--checkpoint'),
  });
  expect(service.requests).toEqual([]);
  expect(readFileSync(join(cwd, 'j')).equals(before)).toBe(true);
});

test('the minimum duration of a plan follows from the last observed limit and --share', async () => {
  const service = await startTestService({ limits: { ingest: 60 } });
  const options = { cwd: tempDir(), home: tempDir(), env: service.env };
  writeFileSync(join(options.cwd, 'a.ndjson'), lines(300));
  await runSvc(['events', 'import', 'a.ndjson', '--limit', '1'], options);
  const argv = ['events', 'import', 'a.ndjson', '-n', '--json', '--batch-size', '2', '--share', '50%'];
  const { plan } = JSON.parse((await runSvc(argv, options)).stdout);
  expect(plan).toEqual({
    batches: 150,
    bytes: expect.any(Number),
    requests: 150,
    limit: 30,
    limitSeen: true,
    leastSeconds: 240,
  });
});

test('a corrected rejects file can be imported', async () => {
  const service = await startTestService();
  const cwd = tempDir();
  writeFileSync(join(cwd, 'a.ndjson'), `${event(1)}\n${event(2).replace('00Z', '00')}\n${event(3)}\n`);
  expect((await runSvc(['events', 'import', 'a.ndjson'], { env: service.env, cwd })).code).toBe(7);
  const rejects = readFileSync(join(cwd, 'a.ndjson.rejects.ndjson'), 'utf8').trim().split('\n');
  writeFileSync(join(cwd, 'fixed.ndjson'), rejects.map((line) => `${JSON.parse(line).raw}\n`).join(''));
  const again = await runSvc(['events', 'import', 'fixed.ndjson', '--convert-timestamps', '--json'], {
    env: service.env,
    cwd,
  });
  expect(again.code).toBe(0);
  expect(JSON.parse(again.stdout)).toMatchObject({ read: 1, accepted: 1 });
});

test('the command to resume is quoted for a shell', async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, "it's.ndjson"), event(1));
  const env = { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_WORKSPACE: 'w', SVC_API_KEY: 'k' };
  const argv = ['events', 'import', "it's.ndjson", '--set', 'a=b c', '--max-retries', '0', '--json'];
  const run = await runSvc(argv, { env, cwd });
  expect(JSON.parse(run.stdout).resumeCommand).toBe(
    `svc events import 'it'\\''s.ndjson' --set 'a=b c' --max-retries 0 --json --resume`,
  );
});

test.each([
  [['--share', '0%'], '--share 0% is not a share of the limit'],
  [['--share', '120%'], '--share 120% is not a share of the limit'],
  [['--shard', '0/2'], '--shard 0/2 is not a part'],
  [['--shard', '3/2'], '--shard 3/2 is not a part'],
  [['--map', 'userId'], '--map userId has no ='],
  [['--type', 'a=date'], '--type a=date is not a type'],
  [['--type', 'userId=number'], '--type userId=number: the field userId is always text'],
  [
    ['--map', 'userId=a', '--map', 'userId=b'],
    'next: to use the first column that is not empty: --map userId=a,b',
  ],
  [['--map', 'userId=a', '--map', 'event=a'], '--map reads the column a twice'],
  [['--where', 'a'], '--where a has no ='],
  [['--time-zone', 'UTC'], '--time-zone needs --convert-timestamps or --timestamp-format'],
  [['--timestamp-format', 'yyyy-MM-dd'], 'write it as in --timestamp-format YYYY-MM-DD'],
  [['--timestamp-format', 'HH:mm'], '--timestamp-format HH:mm lacks the year and the month and the day'],
  [['--nested', 'explode'], 'explode'],
  [['--delimiter', 'a"b'], '--delimiter a"b cannot separate cells'],
  [['--convert-timestamps', '--time-zone', 'Mars/Base'], '--time-zone Mars/Base is not a time zone'],
  [['--flush-interval', 'soon'], '--flush-interval soon is not a duration'],
  [['--batch-size', '1001'], '1001'],
  [['--resume', '--restart'], 'restart'],
])('%j is refused with exit 2', async (flags, message) => {
  const service = await startStandIn();
  const cwd = tempDir();
  writeFileSync(join(cwd, 'a.ndjson'), event(1));
  const run = await runSvc(['events', 'import', 'a.ndjson', ...flags], { env: service.env, cwd });
  expect(run.code).toBe(2);
  expect(run.stderr).toContain(message);
  expect(service.requests).toEqual([]);
});

test('an unknown key: exit 4, the result, and both next steps', async () => {
  const service = await startTestService();
  const cwd = tempDir();
  writeFileSync(join(cwd, 'a.ndjson'), lines(3));
  const run = await runSvc(['events', 'import', 'a.ndjson', '--json'], {
    env: { ...service.env, SVC_API_KEY: 'sk_test_wrong' },
    cwd,
  });
  expect(run.code).toBe(4);
  expect(JSON.parse(run.stdout)).toMatchObject({ read: 3, unsent: 3 });
  expect(JSON.parse(run.stderr.trim().split('\n').at(-1)!).error).toMatchObject({
    code: 'unauthorized',
    hint: expect.stringContaining('then resume: svc events import a.ndjson --json --resume'),
  });
});
