import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { cannedService } from '../../support/peers/canned-service.ts';
import { builtSvc } from '../../support/process/built-svc.ts';
import { runProcess, startProcess } from '../../support/process/run-process.ts';
import { tempDir } from '../../support/temp.ts';

const SECRET = 'a-secret-of-these-tests';

/** Every command that reads what a flag or an argument names. FIFO is a FIFO, SECRET a file. */
const READERS: readonly (readonly string[])[] = [
  ['api', 'POST', '/v1/events', '--input', 'FIFO'],
  ['api', 'POST', '/v1/events', '-F', 'a=@FIFO'],
  ['decide', '--input', 'FIFO'],
  ['events', 'import', 'FIFO'],
  ['events', 'import', 'FIFO', '--dry-run'],
  ['users', 'import', 'FIFO'],
  ['notifications', 'trigger', '--input', 'FIFO', '--template', 'welcome', '--channel', 'sms'],
  ['webhooks', 'create', '--url', 'https://x.example', '--event', 'campaign.opened', '--secret-file', 'FIFO'],
  ['webhooks', 'listen', '--port', '0', '--secret-file', 'FIFO'],
  ['webhooks', 'replay', 'FIFO', '--to', '1'],
  ['webhooks', 'send', 'campaign.clicked', '--to', '1', '--secret-file', 'FIFO'],
  ['webhooks', 'sign', 'FIFO', '--secret-file', 'SECRET'],
  ['webhooks', 'test', 'http://127.0.0.1:1', '--secret-file', 'FIFO'],
  ['webhooks', 'verify', 'FIFO', '--signature', 'aa', '--secret-file', 'SECRET'],
];

async function prepared() {
  const svc = await builtSvc();
  const home = tempDir();
  execFileSync('mkfifo', [join(home, 'fifo')]);
  writeFileSync(join(home, 'secret'), SECRET);
  const { env } = await cannedService(() => ({ status: 202, body: '{}' }));
  const words = (call: readonly string[]) =>
    call.map((word) => word.replace('FIFO', 'fifo').replace('SECRET', 'secret'));
  return { svc, home, env, words };
}

/** True once the process has the file open. */
async function hasOpen(pid: number, path: string): Promise<boolean> {
  for (let turn = 0; turn < 200; turn++) {
    try {
      for (const fd of readdirSync(`/proc/${pid}/fd`))
        if (readlinkSync(`/proc/${pid}/fd/${fd}`) === path) return true;
    } catch {
      // A descriptor that was closed meanwhile.
    }
    await delay(25);
  }
  return false;
}

describe('a FIFO without a writer', () => {
  it('blocks no interrupted command', async () => {
    const { svc, home, env, words } = await prepared();
    const run = async (call: readonly string[], signal: NodeJS.Signals) => {
      const child = startProcess(svc, words(call), { home, env });
      const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
      const opened = await hasOpen(child.pid!, join(home, 'fifo'));
      child.kill(signal);
      let ended = await Promise.race([exit, delay(5000, undefined, { ref: false })]);
      if (!ended) child.kill(signal);
      ended ??= await Promise.race([exit, delay(5000, undefined, { ref: false })]);
      if (!ended) child.kill('SIGKILL');
      return [call.join(' '), opened, ended?.[0]];
    };
    // A few at a time: each is a process of its own.
    const results = [];
    for (let at = 0; at < READERS.length; at += 4) {
      const some = READERS.slice(at, at + 4);
      results.push(
        ...(await Promise.all(some.map((call, i) => run(call, i % 2 === 0 ? 'SIGINT' : 'SIGTERM')))),
      );
    }
    expect(results).toEqual(READERS.map((call) => [call.join(' '), true, 130]));
  });

  it.each([
    [['serve', '--port', '0', '--catalog', 'FIFO'], 'is a pipe'],
    [['serve', '--port', '0', '--faults', 'FIFO'], 'is a pipe'],
    [
      ['webhooks', 'listen', '--port', '0', '--secret-file', 'SECRET', '--record', 'FIFO'],
      'no process reads',
    ],
  ])('is refused by svc %j', async (call, why) => {
    const { svc, home, env, words } = await prepared();
    const { code, stderr } = await runProcess(svc, words(call), { home, env });
    expect(code).toBe(2);
    expect(stderr).toContain(why);
  });
});

describe('a FIFO with a writer', () => {
  it('is read to its end, for secret and body', async () => {
    const { svc, home, env } = await prepared();
    const fifo = join(home, 'fifo');
    const body = 'x'.repeat(300_000);
    const signing = runProcess(svc, ['webhooks', 'sign', fifo, '--secret-file', 'secret', '--json'], {
      home,
    });
    await writeFile(fifo, body);
    const signed = await signing;
    expect(signed.code, signed.stderr).toBe(0);
    const other = runProcess(svc, ['webhooks', 'sign', '-', '--secret-file', fifo, '--json'], {
      home,
      stdin: body,
    });
    await writeFile(fifo, `${SECRET}\n`);
    expect((await other).stdout).toBe(signed.stdout);

    const importing = runProcess(svc, ['events', 'import', fifo, '--accept-any-answer', '--json'], {
      home,
      env,
    });
    const line = (n: number) => `{"userId":"u${n}","event":"e","timestamp":"2026-01-01T00:00:00Z"}\n`;
    await writeFile(fifo, Array.from({ length: 3000 }, (_, n) => line(n)).join(''));
    const imported = await importing;
    expect(JSON.parse(imported.stdout), imported.stderr).toMatchObject({ read: 3000, accepted: 3000 });
  });
});
