import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { runServe } from '../../support/process/run-serve.ts';
import { runSvc, startSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

/** Runs commands on the data of `local` in one home. */
function localSvc() {
  const home = tempDir();
  const database = join(home, 'data', 'service.db');
  const run = (line: string, env = {}) =>
    runSvc(line.split(' '), { home, env: { SVC_PROFILE: 'local', ...env } });
  const json = async (line: string) => {
    const { code, stdout, stderr } = await run(`${line} --json`);
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout);
  };
  return { run, json, database, home };
}

it('creates, lists, rotates and revokes keys, and shows each key once', async () => {
  const { run, json } = localSvc();
  await run('events send --user-id u --event e');
  const made = await json('keys create');
  expect(made).toEqual({
    keyId: expect.stringMatching(/^key_[0-9a-f]+$/),
    key: expect.stringMatching(/^sk_test_[0-9a-f]{48}$/),
    apiKey: made.key,
    kind: 'test',
    name: null,
    workspace: expect.stringMatching(/^ws_/),
  });
  const rotated = await json(`keys rotate ${made.keyId} --valid-for 0s`);
  expect(rotated).toMatchObject({ kind: 'test', replaces: made.keyId });
  const listed = await json('keys list');
  expect(JSON.stringify(listed)).not.toContain(made.key.slice(8));
  const state = (id: string) => listed.keys.find(({ keyId }: { keyId: string }) => keyId === id)?.state;
  expect([listed.keys.length, state(made.keyId), state(rotated.keyId)]).toEqual([3, 'revoked', 'active']);
  expect((await run(`keys revoke ${rotated.keyId} --yes`)).stdout).toMatch(/^revoked key key_/);
  // Revoking the key of `local` itself gives it a new one.
  const first = listed.keys[0].keyId;
  expect((await run(`keys revoke ${first} --yes`)).code).toBe(0);
  expect((await run('events send --user-id u --event e')).code).toBe(0);
  expect((await run('keys list')).stdout).toMatch(
    /KEY\s+NAME\s+WORKSPACE\s+KIND\s+STATE\s+CREATED\s+LAST USED/,
  );
});

it('asks before it revokes a key, and refuses where it cannot ask', async () => {
  const { run, json, home } = localSvc();
  await run('events send --user-id u --event e');
  const { keyId, workspace } = await json('keys create');
  const state = async () =>
    (await json('keys list')).keys.find((key: { keyId: string }) => key.keyId === keyId).state;
  const refused = await run(`keys revoke ${keyId} --profile local`);
  expect([refused.code, refused.stdout, await state()]).toEqual([2, '', 'active']);
  expect(refused.stderr).toContain(`svc keys revoke ${keyId} --profile local --yes`);
  const answer = async (typed: string) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    const argv = ['keys', 'revoke', keyId, '--profile', 'local'];
    const running = startSvc(argv, { home, stdin, columns: 100 });
    await running.waitFor(/\[y\/N\] $/, 'stderr');
    stdin.write(typed);
    return running.done;
  };
  const no = await answer('n\n');
  expect([no.code, await state()]).toEqual([2, 'active']);
  expect(no.stderr).toContain(`Revoke the key ${keyId} of ${workspace}, never used?`);
  expect(no.stderr).toContain('nothing was revoked');
  const yes = await answer('y\n');
  expect([yes.code, await state()]).toEqual([0, 'revoked']);
});

it('names keys, keeps the name when a key is rotated, and refuses a name that a list cannot show', async () => {
  const { run, json, home } = localSvc();
  await run('events send --user-id u --event e');
  const create = (name: string) =>
    runSvc(['keys', 'create', '--name', name, '--profile', 'local', '--json'], { home });
  const made = JSON.parse((await create('nightly import')).stdout);
  expect(made).toMatchObject({ name: 'nightly import' });
  expect(await json(`keys rotate ${made.keyId}`)).toMatchObject({ name: 'nightly import' });
  expect((await json('keys list')).keys.map(({ name }: { name: string | null }) => name)).toEqual([
    null,
    'nightly import',
    'nightly import',
  ]);
  for (const name of ['', ' ', 'a\nb', 'x'.repeat(101)])
    expect(await create(name), JSON.stringify(name)).toMatchObject({ code: 2, stdout: '' });
});

it('shows when a key was last used, which is stored apart from the requests', async () => {
  const { run, json, database } = localSvc();
  await run('events send --user-id u --event e');
  const { keyId, key, workspace } = await json('keys create');
  const lastUsed = async () =>
    (await json('keys list')).keys.find((each: { keyId: string }) => each.keyId === keyId).lastUsedAt;
  expect(await lastUsed()).toBeNull();
  const serve = await runServe(['--database', database]);
  const headers = { authorization: `Bearer ${key}`, 'x-service-workspace': workspace };
  const before = Date.now();
  expect((await fetch(`${serve.ready.url}/v1/webhooks`, { headers })).status).toBe(200);
  // Within the minute nothing is written, however many requests come.
  expect(await lastUsed()).toBeNull();
  await serve.stop();
  expect(Date.parse(await lastUsed())).toBeGreaterThanOrEqual(before);
});

it('creates workspaces of a mode, whose keys are of that kind', async () => {
  const { run, json } = localSvc();
  await run('events send --user-id u --event e');
  const shop = await json('workspaces create shop --mode live');
  expect(shop).toEqual({
    workspace: 'shop',
    mode: 'live',
    region: null,
    keyId: expect.any(String),
    key: expect.stringMatching(/^sk_live_/),
    apiKey: shop.key,
  });
  expect(await json('keys create --workspace shop')).toMatchObject({ kind: 'live', workspace: 'shop' });
  const { workspaces } = await json('workspaces list');
  expect(workspaces).toMatchObject([{ mode: 'test' }, { workspace: 'shop', mode: 'live' }]);
  expect(await json('workspaces update shop --mode test')).toEqual({
    workspace: 'shop',
    mode: 'test',
    region: null,
    origins: [],
    appEvents: null,
    userTokens: true,
  });
  expect((await run('workspaces list')).stdout).toMatch(/shop\s+test/);
  for (const [line, message, next] of [
    ['keys create', /there are 2 workspaces: name one/, /svc workspaces list/],
    ['keys create --workspace shop --kind live', /shop is a test workspace: it has no live keys/, /--kind/],
    ['keys create --workspace nowhere', /no workspace nowhere/, /svc workspaces list/],
    ['keys revoke key_none', /no key key_none/, /svc keys list/],
    ['workspaces create shop', /shop exists already/, /svc keys list --workspace shop/],
    ['workspaces create a/b', /cannot be the id of a workspace/, /svc workspaces create/],
    ['workspaces update shop', /nothing to change/, /svc workspaces update shop --mode live/],
    ['workspaces update shop --origin shop.example', /not the origin/, /https:\/\/shop.example/],
    ['workspaces update shop --origin https://shop.example/app', /not the origin/, /https:\/\/shop.example/],
    ['users token --hash-id h --ttl 2d --database x.db', /between 1m and 24h/, /--ttl 1h/],
  ] as const) {
    const { code, stdout, stderr } = await run(line);
    expect([code, stdout, stderr], line).toEqual([2, '', expect.stringMatching(message)]);
    expect(stderr, line).toMatch(next);
  }
});

it('names the test keys of a workspace that goes live, and rotates them to live ones', async () => {
  const { run, json } = localSvc();
  await run('events send --user-id u --event e');
  const { keyId } = await json('workspaces create shop');
  const live = await run('workspaces update shop --mode live');
  expect(live.stderr).toContain(`a key that begins with sk_test_ can notify people from now on`);
  expect(live.stderr).toContain(`svc keys rotate ${keyId}`);
  expect(await json(`keys rotate ${keyId}`)).toMatchObject({ kind: 'live', workspace: 'shop' });
  // The old one ends.
  expect((await run('workspaces update shop --mode live')).stderr).not.toContain('sk_test_');
});

it('refuses to act on a remote service, and on data that do not exist', async () => {
  const { run } = localSvc();
  expect(await run('keys list')).toMatchObject({ code: 2, stderr: expect.stringMatching(/does not exist/) });
  const remote = await run('keys list --base-url https://svc.example');
  expect([remote.code, remote.stderr]).toEqual([
    2,
    expect.stringMatching(/works only on data of this machine/),
  ]);
});

it('creates a publishable key, and a token with which an app lists the messages of its user', async () => {
  const { run, json, database } = localSvc();
  await run('events send --user-id u --event e');
  const { key, kind, workspace } = await json('keys create --kind publishable');
  expect([kind, key]).toEqual(['publishable', expect.stringMatching(/^pk_[0-9a-f]{48}$/)]);
  expect((await run('keys create --kind publishable')).stdout).toMatch(/^pk_[0-9a-f]{48}\nkey key_/);
  const update = `workspaces update ${workspace} --origin https://shop.example --no-user-tokens`;
  expect(await json(update)).toEqual({
    workspace,
    mode: 'test',
    region: null,
    origins: ['https://shop.example'],
    appEvents: null,
    userTokens: false,
  });
  expect((await run(`workspaces update ${workspace} --origin none --user-tokens`)).stdout).toMatch(
    /publishable keys: none/,
  );
  const user = 'a'.repeat(64);
  const made = await json(`users token --hash-id ${user} --ttl 10m`);
  expect(made).toEqual({ token: expect.stringMatching(/^ut_/), expiresAt: expect.any(String) });
  expect(Date.parse(made.expiresAt) - Date.now()).toBeLessThanOrEqual(600_000);
  expect((await run(`users token --hash-id ${user}`)).stdout).toMatch(/^ut_.+\nexpires /);
  // The same on the store, which knows the key of the data.
  expect(await json(`users token --hash-id ${user} --database ${database}`)).toMatchObject({
    token: expect.stringMatching(/^ut_/),
  });
});

it('rotates no key that has ended, and says when a key that is ending ends', async () => {
  const { run, json } = localSvc();
  await run('events send --user-id u --event e');
  const made = await json('keys create');
  const soon = await run(`keys rotate ${made.keyId} --valid-for 1h`);
  const listed = await json('keys list');
  const { endsAt } = listed.keys.find(({ keyId }: { keyId: string }) => keyId === made.keyId);
  expect(soon.stderr).toContain(`${made.keyId} stays valid until ${endsAt}`);
  // A longer time does not extend it.
  const again = await run(`keys rotate ${made.keyId} --valid-for 24h`);
  expect(again.stderr).toContain(`${made.keyId} stays valid until ${endsAt}`);
  expect((await run(`keys revoke ${made.keyId} --yes`)).code).toBe(0);
  const { length } = (await json('keys list')).keys;
  const refused = await run(`keys rotate ${made.keyId}`);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain(`key ${made.keyId} is not valid any more`);
  expect(refused.stderr).toContain('svc keys create --workspace');
  expect((await json('keys list')).keys).toHaveLength(length);
});
