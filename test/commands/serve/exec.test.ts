import { on, once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtSvc } from '../../support/process/built-svc.ts';
import { runProcess, startProcess } from '../../support/process/run-process.ts';
import { ROOT, runSvc, startSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const node = (script: string) => ['--', process.execPath, '-e', script];
const SEND = `
const { SVC_BASE_URL: url, SVC_WORKSPACE: ws, SVC_API_KEY: key, SVC_PROFILE, TMPDIR } = process.env;
fetch(url + '/v1/events', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + key, 'x-service-workspace': ws, 'content-type': 'application/json' },
  body: JSON.stringify({ events: [{ userId: 'u', event: 'e', timestamp: '2026-01-01T00:00:00Z' }] }),
}).then(async (answer) => {
  console.log(JSON.stringify({ status: answer.status, limit: answer.headers.get('x-service-ratelimit-limit'), SVC_PROFILE }));
  process.exit(answer.status === 202 ? 0 : 1);
});`;

/** Prints each signal and goes on. */
const STUBBORN = `for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => console.log(name));
setInterval(() => {}, 1000);
console.log('up');`;

describe('svc serve exec', () => {
  it('runs a command with a temporary service and removes its data', async () => {
    const folder = tempDir();
    const run = await runSvc(['serve', 'exec', '--limit', 'ingest=7', ...node(SEND)], {
      home: folder,
      env: { SVC_PROFILE: 'prod' },
    });
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout)).toEqual({ status: 202, limit: '7' });
    expect(existsSync(join(folder, 'data'))).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('lets svc data export show the data of the temporary service, not of local', async () => {
    const svc = await builtSvc();
    const home = tempDir();
    const run = (...argv: string[]) => runProcess(svc, argv, { home });
    await run('events', 'send', '--user-id', 'kept', '--event', 'e', '--profile', 'local');
    const self = [process.execPath, ...svc].map((word) => `'${word}'`).join(' ');
    const both = 'svc events send --user-id fresh --event e -q && svc data export --type event';
    const { code, stdout } = await run(
      'serve',
      'exec',
      '--',
      'sh',
      '-c',
      both.replaceAll('svc ', `${self} `),
    );
    expect(code).toBe(0);
    expect(stdout).toContain('"userId":"fresh"');
    expect(stdout).not.toContain('kept');
  });

  it('calls a handler on this machine: the script for CI ends with a verified call', async () => {
    const [start] = await builtSvc();
    const home = tempDir();
    writeFileSync(join(home, 'svc'), `#!/bin/sh\nexec '${process.execPath}' '${start}' "$@"\n`, {
      mode: 0o755,
    });
    const ci = (...flags: string[]) =>
      runProcess([start!], ['serve', 'exec', ...flags, '--', 'sh', join(ROOT, 'examples/ci.sh')], {
        home,
        env: { PATH: `${home}:${process.env.PATH}` },
      });
    const run = await ci();
    expect([run.code, run.stdout]).toEqual([
      0,
      expect.stringMatching(/^delivered.*"verified":true.*"campaign\.clicked"/ms),
    ]);
    const refused = await ci('--no-allow-loopback-webhooks');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /next: .*svc serve --allow-loopback-webhooks|"hint":"[^"]*svc serve --allow/,
    );
    expect(refused.stderr).toContain('svc webhooks listen --port 0 --count 1 --json --profile local');
  });

  it('reports the number of injected faults', async () => {
    const home = tempDir();
    const faults = join(home, 'faults.json');
    writeFileSync(faults, '{"seed": "s", "requests": [{"to": 1, "fault": "slow-answer", "delayMs": 1}]}');
    const run = await runSvc(['serve', 'exec', '--faults', faults, ...node(SEND)], { home });
    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(/^faults injected: 1$/m);
    expect((await runSvc(['serve', 'exec', ...node(SEND)], { home })).stderr).not.toContain(
      'faults injected',
    );
  });

  it.each([0, 3, 42, 255])("exits with the command's code %i", async (code) => {
    expect((await runSvc(['serve', 'exec', ...node(`process.exit(${code})`)])).code).toBe(code);
  });

  it('exits like a shell if a signal ended the command', async () => {
    expect((await runSvc(['serve', 'exec', ...node("process.kill(process.pid, 'SIGKILL')")])).code).toBe(137);
  });

  it('passes on stdin and all arguments, including flags', async () => {
    const run = await runSvc(
      [
        'serve',
        'exec',
        '--',
        process.execPath,
        '-e',
        'process.stdin.pipe(process.stdout); console.error(process.argv.slice(1).join())',
        '--',
        '--json',
        '-q',
      ],
      { stdin: 'through' },
    );
    expect(run).toMatchObject({ code: 0, stdout: 'through' });
    expect(run.stderr).toContain('--json,-q');
  });

  it.each([
    { name: 'Ctrl-C in a terminal, which sends it to the command too', columns: 80, sent: [] as string[] },
    { name: 'SIGINT without a terminal', sent: ['SIGINT'] },
    { name: 'SIGTERM', signal: 'SIGTERM' as const, columns: 80, sent: ['SIGTERM'] },
  ])('passes a signal on once, then waits before it sends a stronger one: $name', async (row) => {
    const clock = new VirtualClock();
    const svc = startSvc(['serve', 'exec', ...node(STUBBORN)], { ...row, clock });
    await svc.waitFor(/up/);
    svc.interrupt(row.signal);
    for (const signal of [...row.sent, 'SIGTERM']) {
      // The clock stands still: nothing else is sent.
      if (!row.sent.includes(signal)) await clock.advance(10_000);
      await svc.waitFor(new RegExp(`^${signal}$`, 'm'));
    }
    expect(svc.stdout().trim().split('\n')).toEqual(['up', ...new Set([...row.sent, 'SIGTERM'])]);
    await clock.advance(10_000);
    expect((await svc.done).code).toBe(137);
  });

  it('stops the command and removes its data at a second Ctrl-C', async () => {
    const home = tempDir();
    const script = `${STUBBORN}process.stdin.resume().on('end', () => process.exit());`;
    const child = startProcess(await builtSvc(), ['serve', 'exec', ...node(script)], {
      home,
      env: { TMPDIR: home },
    });
    const output = child.stdout.setEncoding('utf8');
    const printed = async (text: string) => {
      for await (const chunk of on(output, 'data')) if (String(chunk).includes(text)) return;
    };
    await printed('up');
    child.kill('SIGINT');
    await printed('SIGINT');
    // Signals within 100 ms count as one.
    await new Promise((resolve) => setTimeout(resolve, 200));
    const [, [code]] = await Promise.all([printed('SIGTERM'), once(child, 'exit'), child.kill('SIGINT')]);
    child.stdin.end();
    expect(code).toBe(130);
    expect(readdirSync(home).filter((name) => name.startsWith('svc-exec-'))).toEqual([]);
  });

  it('ends as the command does when svc is stopped', async () => {
    const svc = startSvc(['serve', 'exec', ...node("console.log('up'); setInterval(() => {}, 1000)")]);
    await svc.waitFor(/up/);
    svc.interrupt('SIGTERM');
    expect((await svc.done).code).toBe(143);
  });

  it('reports a missing command', async () => {
    expect(await runSvc(['serve', 'exec'])).toMatchObject({ code: 2, stdout: '' });
    const none = await runSvc(['serve', 'exec', '--', '/nowhere/at-all', '--json']);
    expect(none.code).toBe(2);
    expect(none.stderr).toMatch(/cannot run/);
  });
});
