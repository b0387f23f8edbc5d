import { appendFileSync, chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startReceiver } from '../../support/peers/receiver.ts';
import { type SvcProgram, svcProgram } from '../../support/process/svc-process.ts';
import { tempDir } from '../../support/temp.ts';

let program: SvcProgram;
beforeAll(async () => {
  program = await svcProgram();
});
afterAll(() => program.release());

const event = (n: number) => `{"userId":"u${n}","event":"e","timestamp":"2026-01-31T12:00:00Z"}\n`;

async function place(records: number) {
  const cwd = tempDir();
  const path = join(cwd, 'a.ndjson');
  let text = '';
  for (let n = 0; n < records; n++) text += event(n);
  writeFileSync(path, text);
  let answered = 0;
  const sink = await startReceiver((response, { body }) => {
    answered++;
    const accepted = JSON.parse(body.toString()).events.length;
    response.writeHead(202).end(JSON.stringify({ accepted }));
  });
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: cwd,
    SVC_BASE_URL: sink.url.replace(/\/$/, ''),
    SVC_WORKSPACE: 'w',
    SVC_API_KEY: 'k',
  };
  return { cwd, env, path, sink, answered: () => answered };
}

test('Ctrl-C in the middle of a large file: exit 130, and the printed command finishes the rest', async () => {
  const { cwd, env, sink } = await place(400_000);
  const running = program.start(['events', 'import', 'a.ndjson', '--json'], { env, cwd });
  await sink.waitFor(50);
  running.child.kill('SIGINT');
  const ended = await running.ended;

  expect({ code: ended.code, signal: ended.signal }).toEqual({ code: 130, signal: null });
  const result = JSON.parse(ended.stdout);
  expect(result.read).toBe(result.accepted + result.unsent);
  expect(result.accepted).toBeLessThan(400_000);
  expect(JSON.parse(ended.stderr.trim().split('\n').at(-1)!).error).toMatchObject({
    code: 'interrupted',
    hint: result.resumeCommand,
    exitCode: 130,
  });

  const words = (result.resumeCommand as string).split(' ').slice(1);
  const rest = await program.start(words, { env, cwd }).ended;
  expect(rest.code).toBe(0);
  expect(JSON.parse(rest.stdout)).toMatchObject({
    read: 400_000,
    skipped: result.accepted,
    accepted: 400_000 - result.accepted,
  });
  await sink.close();
}, 300_000);

test('a full disk: exit 1, the result and the next step; --resume completes, and resends only requests in flight', async () => {
  const { cwd, env, answered, sink } = await place(300_000);
  // A file may grow to 64 KiB, in units of 512 bytes; the journal soon needs more.
  const full = await program.start(['events', 'import', 'a.ndjson', '--json', '--batch-size', '100'], {
    env,
    cwd,
    shell: 'ulimit -f 128; exec "$@"',
  }).ended;
  expect(full.code).toBe(1);
  const result = JSON.parse(full.stdout);
  expect(result.unsent).toBeGreaterThan(0);
  expect(JSON.parse(full.stderr.trim().split('\n').at(-1)!).error).toMatchObject({
    code: 'disk',
    hint: `free some disk space, then resume; nothing is lost: ${result.resumeCommand}`,
  });
  const sent = answered();

  const words = (result.resumeCommand as string).split(' ').slice(1);
  const rest = await program.start(words, { env, cwd }).ended;
  expect(rest.code).toBe(0);
  expect(JSON.parse(rest.stdout)).toMatchObject({ read: 300_000, unsent: 0 });
  expect(answered() - 3000).toBeLessThanOrEqual(8);
  expect(sent).toBeGreaterThan(0);
  await sink.close();
}, 300_000);

test('a rejects file that cannot be written: exit 1, nothing lost', async () => {
  const { cwd, env, path, sink } = await place(10);
  writeFileSync(path, `${readFileSync(path, 'utf8')}bad\n`);
  mkdirSync(join(cwd, 'a.ndjson.rejects.ndjson'));
  const ended = await program.start(['events', 'import', 'a.ndjson', '--json'], { env, cwd }).ended;
  expect(ended.code).toBe(1);
  expect(JSON.parse(ended.stdout)).toMatchObject({ read: 11, accepted: 0, rejected: 0, unsent: 11 });
  rmSync(join(cwd, 'a.ndjson.rejects.ndjson'), { recursive: true });
  const again = await program.start(['events', 'import', 'a.ndjson', '--json', '--resume'], { env, cwd })
    .ended;
  expect(JSON.parse(again.stdout)).toMatchObject({ read: 11, accepted: 10, rejected: 1, unsent: 0 });
  await sink.close();
}, 300_000);

test('a file that is missing at --resume: exit 2 with its name', async () => {
  const { cwd, env, path, sink } = await place(10);
  rmSync(path);
  const ended = await program.start(['events', 'import', 'a.ndjson', '--resume'], { env, cwd }).ended;
  expect(ended.code).toBe(2);
  expect(ended.stderr).toMatch(/^error: no such file: a\.ndjson\n {2}next: ls -l/);
  await sink.close();
});

test('the journal of another user: exit 2 with its path and both next steps', async () => {
  const { cwd, env, sink } = await place(10);
  const journal = join(cwd, 'other.journal');
  const argv = ['events', 'import', 'a.ndjson', '--checkpoint', journal];
  expect((await program.start(argv, { env, cwd }).ended).code).toBe(0);
  // Root may write anything, so it becomes another user; anyone else loses the right to the file.
  const root = process.getuid?.() === 0;
  chmodSync(journal, root ? 0o600 : 0o400);
  chmodSync(cwd, 0o755);
  const shell = root ? 'exec setpriv --reuid 65534 --clear-groups "$@"' : 'exec "$@"';
  const other = await program.start(argv, { env: { ...env, HOME: '/nonexistent' }, cwd, shell }).ended;
  expect(other.stderr).toContain(`cannot write the journal ${journal}: permission denied`);
  expect(other.stderr).toContain('--checkpoint FILE');
  expect(other.code).toBe(2);
  await sink.close();
});

test('an input in a folder of another user: exit 1 names --rejects, and the import goes on with another file', async () => {
  const { cwd, path, env, sink } = await place(50);
  appendFileSync(path, 'no JSON\n');
  const home = tempDir();
  const root = process.getuid?.() === 0;
  chmodSync(home, 0o777);
  chmodSync(cwd, root ? 0o755 : 0o555);
  const shell = root ? 'exec setpriv --reuid 65534 --clear-groups "$@"' : 'exec "$@"';
  const run = (...more: string[]) =>
    program.start(['events', 'import', 'a.ndjson', ...more], { env: { ...env, HOME: home }, cwd, shell })
      .ended;
  const denied = await run();
  expect(denied.stderr).toContain(`permission denied: ${path}.rejects.ndjson (the rejects file)`);
  expect(denied.stderr).toMatch(
    /write it elsewhere: svc events import a\.ndjson --rejects \S+\/a\.ndjson\.rejects\.ndjson --resume/,
  );
  expect(denied.code).toBe(1);
  const rejects = join(home, 'rejects.ndjson');
  expect((await run('--rejects', rejects, '--resume')).code).toBe(7);
  expect(JSON.parse(readFileSync(rejects, 'utf8'))).toMatchObject({ raw: 'no JSON' });
  chmodSync(cwd, 0o755);
  await sink.close();
});
