import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const event = (n: number) =>
  `{"userId":"u${n}","event":"e","timestamp":"2026-01-31T12:00:00Z","properties":{"n":${n}}}`;

test('imports NDJSON, and rejects invalid records with line and reason and exit code 7', async () => {
  const service = await startTestService();
  const cwd = tempDir();
  writeFileSync(join(cwd, 'a.ndjson'), `${event(1)}\r\n\nnonsense\n${event(2)}`);

  const first = await runSvc(['events', 'import', 'a.ndjson', '--json'], { env: service.env, cwd });

  expect(first.code).toBe(7);
  expect(JSON.parse(first.stdout)).toMatchObject({
    files: 1,
    read: 3,
    accepted: 2,
    rejected: 1,
    skipped: 0,
    unsent: 0,
    batches: 1,
    requests: 1,
    rejectsFile: 'a.ndjson.rejects.ndjson',
    resumeCommand: null,
  });
  expect(JSON.parse(first.stderr.trim().split('\n').at(-1)!)).toMatchObject({
    error: { code: 'partial', exitCode: 7 },
  });
  expect(JSON.parse(readFileSync(join(cwd, 'a.ndjson.rejects.ndjson'), 'utf8'))).toEqual({
    file: 'a.ndjson',
    line: 3,
    offset: Buffer.byteLength(`${event(1)}\r\n\n`),
    field: 'record',
    reason: 'is not valid JSON: it does not start like JSON',
    raw: 'nonsense',
  });
});

test('a finished import sends nothing again without --restart', async () => {
  const service = await startTestService();
  const options = { env: service.env, home: tempDir(), cwd: tempDir() };
  writeFileSync(join(options.cwd, 'a.ndjson'), `${event(1)}\n${event(2)}\n`);
  const run = async (...flags: string[]) =>
    JSON.parse((await runSvc(['events', 'import', 'a.ndjson', '--json', ...flags], options)).stdout);

  expect(await run()).toMatchObject({ accepted: 2, skipped: 0 });
  for (const flags of [[], ['--resume']])
    expect(await run(...flags)).toMatchObject({ accepted: 0, skipped: 2, requests: 0, resumeCommand: null });
  expect(await run('--restart')).toMatchObject({ accepted: 2, skipped: 0 });
});

test.each([
  ['missing.ndjson', 'no such file: missing.ndjson'],
  ['binary.ndjson', 'binary.ndjson is binary data, not text'],
])('refuses %s before anything is sent, with exit 2 and a next step', async (name, message) => {
  const service = await startTestService();
  const cwd = tempDir();
  writeFileSync(
    join(cwd, 'binary.ndjson'),
    Buffer.from(Array.from({ length: 4000 }, (_, i) => (i * 7919) & 255)),
  );

  const run = await runSvc(['events', 'import', name, '--json'], { env: service.env, cwd });

  expect(run.code).toBe(2);
  expect(run.stdout).toBe('');
  expect(JSON.parse(run.stderr)).toMatchObject({
    error: { code: 'file', message, hint: expect.stringMatching(/\w/) },
  });
});

test('ends with exit 6, the result and the command to resume if nothing listens', async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'a.ndjson'), `${event(1)}\n`);
  const env = { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_WORKSPACE: 'w', SVC_API_KEY: 'k' };

  const run = await runSvc(['events', 'import', 'a.ndjson', '--json', '--max-retries', '0'], { env, cwd });

  expect(run.code).toBe(6);
  expect(JSON.parse(run.stdout)).toMatchObject({
    read: 1,
    unsent: 1,
    accepted: 0,
    resumeCommand: 'svc events import a.ndjson --json --max-retries 0 --resume',
  });
});
