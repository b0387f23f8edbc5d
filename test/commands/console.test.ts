import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { askConsole, consoleAddress, tokenOf } from '../support/console/console-client.ts';
import { startSvc } from '../support/process/run-svc.ts';
import { startTestService } from '../support/process/service.ts';
import { svcProgram } from '../support/process/svc-process.ts';
import { tempDir } from '../support/temp.ts';

/** Starts a console and resolves with its address, once it is printed. */
async function start(argv: readonly string[], options: Parameters<typeof startSvc>[1]) {
  const svc = startSvc(['console', '--json', ...argv], options);
  const [line] = await svc.waitFor(/\{"ready":true.*\}/);
  const { url, joined } = JSON.parse(line) as { url: string; joined: boolean };
  return {
    joined,
    ...consoleAddress(url),
    stop: () => {
      svc.interrupt();
      return svc.done;
    },
    done: svc.done,
  };
}

describe('svc console', () => {
  it('shows the local service with a code that is good once, and ends on Ctrl-C', async () => {
    const home = tempDir();
    const console_ = await start(['--profile', 'local'], { home });
    expect(console_.joined).toBe(false);
    const token = await tokenOf(console_);
    expect(await tokenOf(console_)).toBeUndefined();
    expect((await askConsole(console_.origin, token!, '/console/about')).body).toMatchObject({
      local: true,
      write: true,
      profile: 'local',
      commandPrefix: 'svc',
      commandSuffix: '--profile local',
      workspace: { mode: 'test' },
    });
    expect((await askConsole(console_.origin, token!, '/api/v1/decisions')).body).toEqual({
      decisions: [],
      next: null,
    });
    const service = (await askConsole(console_.origin, token!, '/console/service')).body;
    expect(service).toMatchObject({ reached: true, ready: true, nodes: [{ pid: process.pid }] });
    expect((await askConsole(console_.origin, token!, '/console/imports')).body).toEqual({ imports: [] });
    const { code, stderr } = await console_.stop();
    expect([code, stderr]).toEqual([0, 'shutting down\n']);
    expect(readdirSync(join(home, 'data', 'console'))).toEqual([]);
  });

  it('uses at most a tenth of the limits of a remote service, and says when it has', async () => {
    const service = await startTestService({ limits: { reads: 60 } });
    const running = await start([], { home: tempDir(), env: service.env });
    const token = await tokenOf(running);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => askConsole(running.origin, token!, '/api/v1/decisions')),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(14);
    for (const { body } of refused)
      expect(body).toMatchObject({ error: 'console_share', message: expect.stringMatching(/in \d+ s\.$/) });
    const { groups } = await service.usage();
    expect(groups.find(({ group }) => group === 'reads')!.used).toBe(20 - refused.length);
    // The console's own endpoints are not the service's.
    expect((await askConsole(running.origin, token!, '/console/limits')).status).toBe(200);
    await running.stop();
  });

  it('gives a further code of the console that runs, but not of one of another service', async () => {
    const home = tempDir();
    const first = await start(['--profile', 'local'], { home });
    const second = await start(['--profile', 'local'], { home });
    expect([second.joined, second.origin]).toEqual([true, first.origin]);
    expect((await second.done).code).toBe(0);
    expect(await tokenOf(second)).toMatch(/^[\w-]{43}$/);
    const service = await startTestService();
    const other = await start([], { home, env: service.env });
    expect([other.joined, other.origin === first.origin]).toEqual([false, false]);
    const reads = await start([], { home, env: service.env });
    expect([reads.joined, reads.origin]).toEqual([true, other.origin]);
    // One that may write is another console, and so is one with another key.
    const writes = await start(['--write'], { home, env: service.env });
    expect(writes.joined).toBe(false);
    const key = await start([], { home, env: { ...service.env, SVC_API_KEY: 'sk_test_other' } });
    expect(key.joined).toBe(false);
    for (const running of [key, writes, other, first]) expect((await running.stop()).code).toBe(0);
    expect(readdirSync(join(home, 'data', 'console'))).toEqual([]);
  });

  it('leaves no key in the file for others, and replaces the file of a console that was killed', async () => {
    const home = tempDir();
    const service = await startTestService();
    const first = await start([], { home, env: service.env });
    const folder = join(home, 'data', 'console');
    const [name] = readdirSync(folder);
    const file = join(folder, name!);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain(service.apiKey);
    expect(text).not.toContain(service.workspace);
    await first.stop();
    // The port of a dead console may be that of another program by now.
    const impostors = [
      { ...JSON.parse(text), pid: 2 ** 30 },
      { ...JSON.parse(text), port: Number(new URL(service.url).port) },
      { pid: 'x' },
    ];
    for (const left of [...impostors.map((one) => JSON.stringify(one)), '', '{', 'null']) {
      writeFileSync(file, left);
      const next = await start([], { home, env: service.env });
      expect(next.joined, left).toBe(false);
      await next.stop();
      expect(existsSync(file)).toBe(false);
    }
  });

  it('does not let the page change a remote service without --write', async () => {
    const service = await startTestService();
    const redeliver = async (argv: string[]) => {
      const console_ = await start(argv, { env: service.env });
      const token = await tokenOf(console_);
      const answer = await fetch(`${console_.origin}/api/v1/webhooks/w/deliveries/d/redeliver`, {
        method: 'POST',
        headers: { origin: console_.origin, 'x-console-token': token! },
      });
      const { error } = (await answer.json()) as { error: string };
      const about = await askConsole(console_.origin, token!, '/console/about');
      expect(JSON.stringify(about)).not.toContain(service.apiKey);
      expect(about.body).toMatchObject({
        local: false,
        write: argv.includes('--write'),
        workspace: { mode: 'test' },
      });
      await console_.stop();
      return [answer.status, error];
    };
    expect(await redeliver([])).toEqual([403, 'read_only']);
    expect(await redeliver(['--write'])).toEqual([404, 'not_found']);
  });

  it('hands the browser a file with the address, so that no argument holds the code, and removes it after use', async () => {
    const home = tempDir();
    const bin = tempDir();
    mkdirSync(join(home, 'data'), { recursive: true });
    const opened = join(bin, 'opened');
    writeFileSync(
      join(bin, process.platform === 'darwin' ? 'open' : 'xdg-open'),
      `#!/bin/sh\necho "$@" > ${opened}\ncat "$1" >> ${opened}\nenv >> ${opened}\n`,
    );
    chmodSync(join(bin, process.platform === 'darwin' ? 'open' : 'xdg-open'), 0o755);
    const env = { PATH: `${bin}:${process.env.PATH}` };
    const console_ = await start(['--profile', 'local', '--open'], { home, env });
    await expect.poll(() => existsSync(opened) && readFileSync(opened, 'utf8')).toContain('PATH=');
    const [argument, page] = readFileSync(opened, 'utf8').split('\n');
    const [, code] = /url=http:\/\/127\.0\.0\.1:\d+\/#code=([\w-]+)"/.exec(page!)!;
    expect(argument).not.toContain(code);
    expect(readFileSync(opened, 'utf8')).not.toContain('SVC_');
    expect(statSync(argument!).mode & 0o777).toBe(0o600);
    expect(await tokenOf({ origin: console_.origin, code: code! })).toBeDefined();
    expect(existsSync(argument!)).toBe(false);
    await console_.stop();
    const without = await start(['--profile', 'local', '--open'], { home, env: { PATH: tempDir() } });
    const { stderr } = await without.stop();
    expect(stderr).toContain('no browser could be opened');
    expect(readdirSync(join(home, 'data', 'console'))).toEqual([]);
  });

  it('prints the address of the console that runs, also where the browser has nothing else to wait for', async () => {
    const home = tempDir();
    const console_ = await start(['--profile', 'local'], { home });
    const bin = tempDir();
    const opener = join(bin, process.platform === 'darwin' ? 'open' : 'xdg-open');
    const program = await svcProgram();
    const env = { HOME: home, PATH: bin, SVC_DATA_DIR: join(home, 'data') };
    for (const [script, warned] of [
      ['exit 0', false],
      ['exit 3', true],
    ] as const) {
      writeFileSync(opener, `#!/bin/sh\n${script}\n`);
      chmodSync(opener, 0o755);
      const argv = ['console', '--json', '--open', '--profile', 'local'];
      const { code, stdout, stderr } = await program.start(argv, { env, cwd: home }).ended;
      expect([code, stderr.includes('no browser could be opened')]).toEqual([0, warned]);
      const { url, joined } = JSON.parse(stdout);
      expect([joined, consoleAddress(url).origin]).toEqual([true, console_.origin]);
    }
    await console_.stop();
  });
});
