import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runServe } from '../../support/process/run-serve.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

/** Runs commands on one database. */
function accountsOf(home: string, database: string) {
  const run = (...words: string[]) => runSvc(['workspaces', ...words, '--database', database], { home });
  const json = async (...words: string[]) => {
    const { code, stdout, stderr } = await run(...words, '--json');
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout);
  };
  return { run, json };
}

it('a workspace gets the region of the service that answers it, at once and also later', async () => {
  const home = tempDir();
  const database = join(home, 'eu.db');
  const served = await runServe(['--region', 'eu', '--database', database], { home });
  const { run, json } = accountsOf(home, database);

  const shop = await json('create', 'shop', '--workspace-region', 'eu');
  const other = await json('create', 'other');
  expect([shop.region, other.region]).toEqual(['eu', null]);
  const regionFor = async ({ workspace, key }: { workspace: string; key: string }) => {
    const headers = { authorization: `Bearer ${key}`, 'x-service-workspace': workspace };
    return (await fetch(`${served.ready.url}/v1/webhooks`, { headers })).headers.get('x-service-region');
  };
  expect([await regionFor(shop), await regionFor(other)]).toEqual(['eu', 'global']);

  expect(await json('update', 'other', '--workspace-region', 'eu')).toEqual({
    workspace: 'other',
    mode: 'test',
    region: 'eu',
    origins: [],
    appEvents: null,
    userTokens: true,
  });
  expect(await regionFor(other)).toBe('eu');
  // Another change keeps the region; a region that does not match is answered as global.
  expect((await json('update', 'other', '--mode', 'live')).region).toBe('eu');
  expect((await run('update', 'shop', '--workspace-region', 'us')).stdout).toContain(
    'shop is a test workspace of the region us',
  );
  expect(await regionFor(shop)).toBe('global');
  expect((await run('create', 'third', '--workspace-region', 'eu')).stdout).toContain('region eu');
  await served.stop();
});

it('--region and a name that no header can have are refused, with the flag to use', async () => {
  const home = tempDir();
  await runSvc(['events', 'send', '--user-id', 'u', '--event', 'e', '--profile', 'local'], { home });
  const { run } = accountsOf(home, join(home, 'data', 'service.db'));
  for (const [words, hint] of [
    [['create', 'shop', '--region', 'eu'], 'svc workspaces create shop --database'],
    [['update', 'shop', '--region=eu'], 'svc workspaces update shop --database'],
  ] as const) {
    const { code, stderr } = await run(...words);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/--region selects a service[\s\S]*--workspace-region eu$/m),
    ]);
    expect(stderr).toContain(hint);
    expect(stderr.slice(stderr.indexOf('next:'))).not.toMatch(/ --region/);
  }
  for (const region of ['a b', '', 'eu\n']) {
    const { code, stderr } = await run('create', 'shop', '--workspace-region', region);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/cannot be the name of a region/)]);
  }
  expect((await run('list', '--json')).stdout).not.toContain('shop');
});
