import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { builtSvc } from '../support/process/built-svc.ts';
import { runProcess, startProcess } from '../support/process/run-process.ts';
import { startTestService } from '../support/process/service.ts';
import { tempDir } from '../support/temp.ts';

/** The result of an import, which follows its progress on a slow machine. */
const resultIn = (stderr: string) => JSON.parse(stderr.trim().split('\n').at(-1)!);

/** A shell pipeline around the program, with `$SVC` for it. Resolves with the codes of its parts. */
async function pipeline(svc: string[], line: string, home: string, env: Record<string, string>) {
  const program = [process.execPath, ...svc].map((word) => `'${word}'`).join(' ');
  const child = spawn('bash', ['-c', `svc() { ${program} "$@"; }; ${line}; echo "\${PIPESTATUS[*]}" >&2`], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  await once(child, 'close');
  const lines = stderr.trim().split('\n');
  return { codes: lines.at(-1)!.split(' ').map(Number), stdout, stderr: lines.slice(0, -1).join('\n') };
}

const events = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    userId: `u${i}`,
    event: 'e',
    timestamp: '2026-01-01T00:00:00Z',
  }));

describe('a process', () => {
  it('exits quietly when its output is closed', async () => {
    const svc = await builtSvc();
    const service = await startTestService();
    for (let batch = 0; batch < 20; batch++)
      await service.fetch('/v1/events', { body: { events: events(1000) } });
    const home = tempDir();
    const all = await pipeline(svc, `svc data export --database ${service.database} | head -1`, home, {});
    expect(all).toMatchObject({ codes: [0, 0], stderr: '' });
    expect(all.stdout.split('\n')).toHaveLength(2);
    const hashes = join(home, 'hashes');
    writeFileSync(hashes, 'h\n'.repeat(300));
    const decided = await pipeline(svc, `svc decide --input ${hashes} --quiet | head -1`, home, service.env);
    expect(decided).toMatchObject({ codes: [0, 0], stderr: '' });
    const help = await pipeline(svc, 'svc --help | true', home, {});
    expect(help.codes[0]).toBe(0);
  });

  it('ends quietly with what was sent when its output is closed during an import, and can be resumed', async () => {
    const svc = await builtSvc();
    const service = await startTestService({ limits: { ingest: null } });
    const home = tempDir();
    const users = Array.from({ length: 1000 }, (_, n) => `{"userId":"user-${n}"}\n`).join('');
    writeFileSync(join(home, 'users.ndjson'), users);
    const command = 'svc users import users.ndjson --batch-size 10 --concurrency 1 --json';
    const cut = await pipeline(svc, `${command} | head -1`, home, service.env);
    expect(cut.codes).toEqual([130, 0]);
    expect(cut.stderr).not.toContain('stopping');
    const result = resultIn(cut.stderr);
    expect(result.resumeCommand).toBe(`${command} --resume`);
    expect(result.accepted).toBeLessThan(1000);
    const rest = await pipeline(svc, `${command} --resume`, home, service.env);
    expect(rest.codes).toEqual([0]);
    expect(resultIn(rest.stderr)).toMatchObject({
      read: 1000,
      skipped: result.accepted,
      accepted: 1000 - result.accepted,
    });
    expect(rest.stdout.trim().split('\n')).toHaveLength(1000 - result.accepted);
  });

  it.each(['users.ndjson', 'users.ndjson.gz'])(
    'has nothing to resume when its output was closed after everything was sent: %s',
    async (file) => {
      const svc = await builtSvc();
      const service = await startTestService();
      const home = tempDir();
      writeFileSync(join(home, 'users.ndjson'), '{"userId":"one"}\n{"userId":"two"}\n');
      writeFileSync(join(home, 'users.ndjson.gz'), gzipSync('{"userId":"one"}\n{"userId":"two"}\n'));
      const cut = await pipeline(svc, `svc users import ${file} --json | head -0`, home, service.env);
      expect(cut.codes).toEqual([0, 0]);
      expect(resultIn(cut.stderr)).toMatchObject({ accepted: 2, resumeCommand: null });
      const again = await pipeline(svc, `svc users import ${file} --resume --json`, home, service.env);
      expect(resultIn(again.stderr)).toMatchObject({ accepted: 0, skipped: 2, resumeCommand: null });
    },
  );

  it('fails when its output is closed while it sends notifications', async () => {
    const svc = await builtSvc();
    const service = await startTestService();
    const home = tempDir();
    writeFileSync(join(home, 'hashes'), `${'0'.repeat(64)}\n`.repeat(500));
    const line =
      'svc notifications trigger --input hashes --template welcome --channel push --quiet | head -1';
    const cut = await pipeline(svc, line, home, service.env);
    expect(cut.codes).toEqual([130, 0]);
    expect(cut.stderr).toMatch(/error: standard output was closed; \d+ lines were sent/);
  });

  it('waits for a slow reader without leaking memory', async () => {
    const svc = await builtSvc();
    const service = await startTestService();
    for (let batch = 0; batch < 20; batch++)
      await service.fetch('/v1/events', { body: { events: events(1000) } });
    const line = `svc data export --type event --database ${service.database} --quiet | while read -r -N 65536 part; do sleep 0.02; done`;
    // Node warns of the eleventh listener that stays.
    expect(await pipeline(svc, line, tempDir(), {})).toMatchObject({ codes: [0, 0], stderr: '' });
  });

  it('reports that its output cannot be written to a file at its size limit', async () => {
    const svc = await builtSvc();
    const home = tempDir();
    for (const line of ['svc --help', 'svc profiles list', 'svc --version']) {
      const full = await pipeline(svc, `${line} > /dev/full`, home, {});
      expect(full).toEqual({
        codes: [1],
        stdout: '',
        stderr:
          'error: standard output cannot be written (ENOSPC)\n  next: completed work is kept; free some space (df -h) or write the output elsewhere',
      });
    }
    const json = await pipeline(svc, 'svc profiles list --json > /dev/full', home, {});
    expect(JSON.parse(json.stderr).error).toMatchObject({ code: 'disk', exitCode: 1 });
  });

  it('reports a disk error where one of its files cannot grow', async () => {
    const svc = await builtSvc();
    const home = tempDir();
    const data = await pipeline(
      svc,
      `(ulimit -f 8; svc decide --hash-id ${'a'.repeat(64)} --profile local)`,
      home,
      {},
    );
    expect(data.codes).toEqual([1]);
    expect(data.stderr).toMatch(
      /^error: \S+service\.db: .*\n {2}next: .*df -h.*, then: svc decide --hash-id a{64} --profile local$/,
    );
    const add = 'svc profiles add x --no-check --workspace w --base-url https://x.example';
    const profile = await pipeline(svc, `(ulimit -f 0; ${add})`, home, { SVC_API_KEY: 'sk_test_1' });
    expect(profile.codes).toEqual([1]);
    expect(profile.stderr).toMatch(
      /^error: .*profiles\.lock.*\n {2}next: .*df -h.*, then: svc profiles add x /,
    );
  });

  it('runs with closed standard input and output', async () => {
    const svc = await builtSvc();
    const service = await startTestService();
    const home = tempDir();
    const closed = await pipeline(svc, 'svc decide --hash-id h --json <&-', home, service.env);
    expect(closed.codes).toEqual([0]);
    expect(JSON.parse(closed.stdout)).toMatchObject({ decisionId: expect.any(String) });
    const asked = await pipeline(
      svc,
      'svc profiles add x --no-check --workspace w --base-url https://x.example <&-',
      home,
      {},
    );
    expect(asked.codes).toEqual([2]);
    const silent = await pipeline(svc, 'svc limits >&- 2>/dev/null', home, service.env);
    expect([0, 1]).toContain(silent.codes[0]);
    const nothing = await pipeline(svc, 'svc events import - --json <&-', home, service.env);
    expect([0, 2]).toContain(nothing.codes[0]);
  });

  it('follows a stream until its output is closed', async () => {
    const svc = await builtSvc();
    const service = await startTestService();
    const tail = startProcess(svc, ['events', 'tail', '--json'], { home: tempDir(), env: service.env });
    await once(tail.stderr, 'data');
    tail.stdout.destroy();
    const exited = once(tail, 'exit');
    await service.fetch('/v1/events', { body: { events: events(3) } });
    expect((await exited)[0]).toBe(0);
  });

  it('keeps every setting when 12 commands change one profile concurrently', {
    timeout: 300_000,
  }, async () => {
    const svc = await builtSvc();
    const service = await startTestService({ limits: { ingest: 600, webhooks: 300, reads: 300 } });
    const home = tempDir();
    const run = (...argv: string[]) =>
      runProcess(svc, [...argv, '--json'], { home, stdin: `${service.apiKey}\n` });
    const add = ['--workspace', service.workspace, '--base-url', service.url, '--api-key-stdin'];
    expect((await run('profiles', 'add', 'main', ...add)).code).toBe(0);
    const create = ['webhooks', 'create', '--event', 'campaign.opened', '--url'];
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, i) => {
        if (i % 4 === 0) return run('profiles', 'add', `p${i}`, ...add);
        if (i % 4 === 1) return run(...create, `https://x.example/${i}`);
        if (i % 4 === 2) return run('events', 'send', '--user-id', `u${i}`, '--event', 'e');
        return run('limits', '--refresh');
      }),
    );
    for (const { code, stderr } of results) expect(code, stderr).toBe(0);
    const profiles = JSON.parse((await run('profiles', 'list')).stdout).profiles.map(
      (one: { name: string }) => one.name,
    );
    expect(profiles.sort()).toEqual(['local', 'main', 'p0', 'p4', 'p8']);
    const secrets = results
      .filter((_, i) => i % 4 === 1)
      .map(({ stdout }) => JSON.parse(stdout).signingSecret as string);
    const kept = readFileSync(join(home, 'config', 'profiles.json'), 'utf8');
    expect(() => JSON.parse(kept)).not.toThrow();
    for (const secret of secrets) expect(kept).toContain(secret);
    const seen = JSON.parse((await run('limits')).stdout).limits as { group: string; limit: number | null }[];
    expect(seen.map(({ group, limit }) => [group, limit])).toEqual([
      ['ingest', 600],
      ['inform', null],
      ['decisions', null],
      ['reads', 300],
      ['webhooks', 300],
    ]);
  });
});
