import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { askConsole, consoleAddress, tokenOf } from '../../support/console/console-client.ts';
import { freshDatabase } from '../../support/postgres/database.ts';
import { runSvc, startSvc } from '../../support/process/run-svc.ts';
import { startServing } from '../../support/process/served.ts';
import { svcProgram } from '../../support/process/svc-process.ts';
import { tempDir } from '../../support/temp.ts';

it('serves the console beside the service, uncounted, and gives its addresses to svc console', async () => {
  const home = tempDir();
  const database = await freshDatabase(home);
  const faults = join(home, 'faults.json');
  const rule = { endpoint: 'listWebhooks', fault: 'fail' };
  writeFileSync(faults, JSON.stringify({ seed: 1, requests: [rule], deliveries: [{ fault: 'double' }] }));
  const argv = ['--port', '0', '--console', '--json', '--limit', 'reads=2', '--faults', faults];
  const serve = startSvc(['serve', '--database', database, ...argv], { home });
  onTestFinished(async () => {
    serve.interrupt();
    expect((await serve.done).code).toBe(0);
  });
  const [line] = await serve.waitFor(/\{"ready":true.*\}/);
  const { url, workspace, apiKey, consoleUrl } = JSON.parse(line);
  const address = consoleAddress(consoleUrl);
  const token = (await tokenOf(address))!;
  const ask = (path: string, body?: unknown) => askConsole(address.origin, token, path, body);
  expect((await ask('/console/about')).body).toMatchObject({
    local: true,
    write: true,
    workspace: { id: workspace },
    commandSuffix: `--base-url ${url} --workspace ${workspace}`,
  });
  for (let i = 0; i < 5; i++) expect((await ask('/api/v1/webhooks')).status).toBe(200);
  const headers = { authorization: `Bearer ${apiKey}`, 'x-service-workspace': workspace };
  const read = async () => (await fetch(`${url}/v1/webhooks`, { headers })).status;
  expect(await read()).toBe(503);
  expect((await ask('/console/faults')).body).toMatchObject({
    active: true,
    rules: [
      { place: 'requests', index: 0, rule, seen: 1, hits: 1, on: true },
      { place: 'deliveries', index: 0, hits: 0, on: true },
    ],
  });
  const off = await ask('/console/faults', { place: 'requests', index: 0, on: false });
  expect(off.body).toHaveProperty('rules.0', expect.objectContaining({ on: false, hits: 1 }));
  expect([await read(), await read(), await read()]).toEqual([200, 200, 429]);
  for (const body of [{}, { place: 'x', index: 0, on: true }, { place: 'requests', index: '0', on: true }])
    expect((await ask('/console/faults', body)).status).toBe(400);
  expect((await ask('/console/faults', { place: 'requests', index: 1, on: true })).status).toBe(404);
  expect((await ask('/console/limits')).body).toMatchObject({
    groups: expect.arrayContaining([expect.objectContaining({ group: 'reads', used: 2, limit: 2 })]),
  });

  const env = { SVC_BASE_URL: url, SVC_WORKSPACE: workspace, SVC_API_KEY: apiKey };
  const joined = await runSvc(['console', '--json'], { home, env });
  const next = JSON.parse(joined.stdout);
  expect([joined.code, next.joined, consoleAddress(next.url).origin]).toEqual([0, true, address.origin]);
  expect(await tokenOf(consoleAddress(next.url))).toBeDefined();
});

it.each([{ more: [] }, { more: ['--processes', '2'] }])(
  'says that the port of the console is taken, and serves nothing then: %o',
  async ({ more }) => {
    const home = tempDir();
    const console_ = startSvc(['console', '--profile', 'local', '--json'], { home });
    const [line] = await console_.waitFor(/\{"ready":true.*\}/);
    const { port } = new URL(JSON.parse(line).url);
    const argv = [
      'serve',
      '--database',
      await freshDatabase(home),
      '--port',
      '0',
      `--console=${port}`,
      ...more,
    ];
    const { code, stdout, stderr } = await runSvc(argv, { home });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`port ${port} on 127.0.0.1 is in use`);
    expect(stderr).toContain('--console 0');
    console_.interrupt();
    await console_.done;
  },
);

it('serves the console from one process of several, and from another when that one dies', async () => {
  const home = tempDir();
  const starting = startServing(await svcProgram(), {
    database: await freshDatabase(home),
    home,
    argv: ['--processes', '2', '--console'],
  });
  const served = await starting.ready;
  onTestFinished(async () => {
    await served.kill();
    await served.process.ended;
  });
  const { consoleUrl, url, workspace, apiKey } = JSON.parse(served.line);
  const listing = async (address: ReturnType<typeof consoleAddress>) => {
    const token = await tokenOf(address);
    return async () => {
      const { nodes } = (await askConsole(address.origin, token!, '/console/service')).body;
      return (nodes as { pid: number }[]).map(({ pid }) => pid);
    };
  };
  const atFirst = await listing(consoleAddress(consoleUrl));
  await vi.waitUntil(async () => (await atFirst()).length === 2, { timeout: 100_000 });
  const [first, other] = await atFirst();
  expect(first).not.toBe(served.pid);
  const folder = join(home, '.local', 'share', 'svc', 'console');
  expect(existsSync(folder) && readdirSync(folder)).toHaveLength(2);
  process.kill(first!, 'SIGKILL');
  const env = {
    SVC_BASE_URL: url,
    SVC_WORKSPACE: workspace,
    SVC_API_KEY: apiKey,
    SVC_DATA_DIR: join(home, '.local', 'share', 'svc'),
  };
  const { askForCode } = await import('../../../src/features/console-server/handover.ts');
  const { scopeOfService } = await import('../../../src/features/console-server/of-service.ts');
  const scope = scopeOfService({ baseUrl: url, workspace, apiKey }, true);
  await vi.waitUntil(() => askForCode(folder, scope, undefined), { timeout: 100_000 });
  const { stdout } = await runSvc(['console', '--json'], { home, env });
  const again = JSON.parse(stdout);
  expect(again.joined).toBe(true);
  expect(new URL(again.url).port).toBe(new URL(consoleUrl).port);
  // The one that was killed is still listed, with the one that replaces it.
  const later = await listing(consoleAddress(again.url));
  await vi.waitUntil(async () => (await later()).length === 3, { timeout: 100_000 });
  const pids = await later();
  expect(pids).toEqual(expect.arrayContaining([first, other]));
  expect(pids[0]).not.toBe(first);
});
