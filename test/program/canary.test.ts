import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { builtSvc } from '../support/process/built-svc.ts';
import { runProcess, startProcess } from '../support/process/run-process.ts';
import { startTestService } from '../support/process/service.ts';
import { tempDir } from '../support/temp.ts';

const SECRET = 'canary-signing-secret-0123456789abcdef';

/** Every file below a folder that holds one of the texts, with its mode. */
function holding(folder: string, texts: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const content = readFileSync(path, 'latin1');
    if (texts.some((text) => content.includes(text)))
      found[relative(folder, path)] = (statSync(path).mode & 0o777).toString(8);
  }
  return found;
}

it('never prints a key or signing secret, and stores them only in files of mode 0600', {
  timeout: 300_000,
}, async () => {
  const service = await startTestService({ limits: { webhooks: 30, ingest: 600 } });
  const svc = await builtSvc();
  const home = tempDir();
  const key = service.apiKey;
  const said: string[] = [];
  const run = async (argv: string[], env: Record<string, string> = {}, stdin = '') => {
    const { code, stdout, stderr } = await runProcess(svc, argv, { home, env, stdin });
    said.push(`${argv.join(' ')}\n${stdout}\n${stderr}`);
    return code;
  };
  const secretFile = join(tempDir(), 'secret');
  writeFileSync(secretFile, SECRET);
  const input = join(home, 'events.ndjson');
  writeFileSync(input, '{"userId":"u","event":"e","timestamp":"2026-01-01T00:00:00Z"}\nbroken\n');

  const add = ['profiles', 'add', 'prod', '--workspace', service.workspace, '--base-url', service.url];
  expect(await run([...add, '--api-key-stdin', '--debug'], {}, `${key}\n`)).toBe(0);
  expect(await run(['profiles', 'show', '--debug'])).toBe(0);
  expect(await run(['profiles', 'list', '--json'])).toBe(0);
  expect(await run(['events', 'send', '--user-id', 'u', '--event', 'e', '--debug', '--show-limits'])).toBe(0);
  expect(await run(['events', 'import', input, '--debug'])).toBe(7);
  const subscribe = ['webhooks', 'create', '--url', 'https://x.example/h', '--event', 'campaign.opened'];
  expect(await run([...subscribe, '--secret-file', secretFile, '--debug', '--json'])).toBe(0);
  expect(await run(['webhooks', 'list', '--debug', '--json'])).toBe(0);
  expect(await run(['webhooks', 'sign', '-', '--debug'], { SVC_WEBHOOK_SECRET: SECRET }, '{}')).toBe(0);
  expect(await run(['api', 'GET', '/v1/webhooks', '-i', '--debug'])).toBe(0);
  expect(await run(['doctor', '--debug'])).toBe(0);
  expect(await run(['limits', '--refresh', '--debug'])).toBe(0);
  // What ends badly: no such host, a wrong flag, a key the service does not know, a crash of the parser.
  expect(
    await run(['decide', '--hash-id', 'h', '--debug', '--max-retries', '0'], {
      SVC_BASE_URL: 'http://127.0.0.1:1',
    }),
  ).toBe(6);
  expect(await run(['decide', '--nonsense', '--debug'])).toBe(2);
  expect(await run(['decide', '--hash-id', 'h', '--debug'], { SVC_API_KEY: `${key}x` })).toBe(4);
  writeFileSync(join(home, 'config', 'broken.json'), '{');
  // The whole service in the process, secrets and all.
  expect(await run([...subscribe, '--profile', 'local', '--secret-file', secretFile, '--debug'])).toBe(0);

  for (const text of said) {
    expect(text).not.toContain(key);
    expect(text).not.toContain(SECRET);
  }
  const files = holding(home, [key, SECRET]);
  expect(files).toEqual({ 'config/profiles.json': '600' });
  // The service keeps the key as a hash and the secret sealed; the key itself is in its own file beside the data.
  const beside = holding(dirname(service.database), [key, SECRET]);
  expect(beside).toEqual({ [`${basename(service.database)}.credentials.json`]: '600' });

  const tail = startProcess(svc, ['events', 'tail', '--profile', 'prod'], { home });
  await once(tail.stderr, 'data');
  expect(readFileSync(`/proc/${tail.pid}/cmdline`, 'latin1')).not.toMatch(new RegExp(`${key}|${SECRET}`));
  tail.kill('SIGINT');
  expect((await once(tail, 'exit'))[0]).toBe(130);
});
