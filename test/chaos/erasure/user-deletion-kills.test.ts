import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../src/kit/clock.ts';
import { createWorkspace } from '../../../src/service/admin/accounts.ts';
import { copiedTables } from '../../../src/service/copy/tables.ts';
import { connectStore } from '../../../src/service/platform/open.ts';
import type { Store } from '../../../src/service/platform/store/store.ts';
import { generator } from '../../support/generator.ts';
import { freshDatabase } from '../../support/postgres/database.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { serve } from '../../support/process/served.ts';
import { svcProgram } from '../../support/process/svc-process.ts';
import { tempDir } from '../../support/temp.ts';

/** SVC_KILLS overrides how often the service is killed, and SVC_SEED when. */
const KILLS = Number(process.env.SVC_KILLS ?? 4);
const SEED = Number(process.env.SVC_SEED ?? 11);
const USERS = 2500;
const GOOD = 300;
const USED = 20;

const userOf = (name: string, i: number) => ({
  userId: `${name}${i}`,
  emails: [`${name}${i}@x.example`],
  traits: { plan: i % 3 ? 'free' : 'pro' },
  devices: [{ channel: 'push', token: `token-${name}-${i}` }],
  ...(i % 2 ? { optIn: ['email'], optOut: ['sms'] } : {}),
});
const usersOf = (name: string, count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => userOf(name, from + i));

/** What says that something was done, and not what is there. */
const OF_REQUESTS = ['user_deletion', 'idempotency', 'due', 'workspace', 'api_key'];

/** The rows of a workspace by table, without what is sealed, which differs each time, and without times. */
async function stateOf(store: Store, workspace: string): Promise<Record<string, readonly string[]>> {
  const state: Record<string, readonly string[]> = {};
  for (const { name, columns } of copiedTables().filter((table) => !OF_REQUESTS.includes(table.name))) {
    const own = columns
      .filter(
        (column) =>
          column.type !== 'bytes' && !/^(workspace_id|.*_at|at_ms|last_ms|created_run)$/.test(column.name),
      )
      .map((column) => column.name);
    const rows = await store.read(({ sql }) =>
      sql.all(
        `SELECT ${own.length === 0 ? '1 AS one' : own.join(', ')} FROM ${name} WHERE workspace_id = ?`,
        [workspace],
      ),
    );
    state[name] = rows.map((row) => JSON.stringify(row)).sort();
  }
  return state;
}

test('an undo of users whose service is killed leaves what one has that never got them, once it is given again', async () => {
  const program = await svcProgram();
  const random = generator(SEED);
  const home = tempDir();
  const options = { database: await freshDatabase(home), home };
  let service = await serve(program, options);
  const store = await connectStore(options.database, systemClock);
  onTestFinished(() => store.close());
  const [wronged, never] = [
    await createWorkspace(store, 'ws_with', 'test'),
    await createWorkspace(store, 'ws_never', 'test'),
  ];
  // The same users have the same hashId in both.
  for (const { workspace } of [wronged, never])
    await store.write(({ sql }) =>
      sql.run('UPDATE workspace SET hash_key = ? WHERE workspace_id = ?', [Buffer.alloc(32, 7), workspace]),
    );
  const homes = { ws_with: tempDir(), ws_never: tempDir() };
  const svc = ({ workspace, key }: typeof wronged, ...argv: string[]) =>
    runSvc(argv, {
      home: homes[workspace as keyof typeof homes],
      cwd: home,
      env: { SVC_BASE_URL: service.url, SVC_WORKSPACE: workspace, SVC_API_KEY: key },
    });
  const send = async ({ workspace, key }: typeof wronged, path: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, 'x-service-workspace': workspace };
    const answer = await service.send(path, body, headers);
    expect(answer?.status, answer?.text).toBeLessThan(300);
  };
  const toBoth = async (path: string, body: object) => {
    for (const each of [wronged, never]) await send(each, path, body);
  };
  /** Once the events of both are counted, which each process does in its time. */
  const expectSame = () =>
    vi.waitFor(
      async () => {
        const [is, should] = [await stateOf(store, 'ws_with'), await stateOf(store, 'ws_never')];
        for (const table of Object.keys(should)) expect(is[table], table).toEqual(should[table]);
      },
      { timeout: 100_000, interval: 100 },
    );
  try {
    const bad = usersOf('bad', USERS);
    writeFileSync(
      join(home, 'bad.ndjson'),
      [...usersOf('good', 50), ...bad].map((user) => JSON.stringify(user)).join('\n'),
    );
    await toBoth('/v1/users', { users: usersOf('good', GOOD) });
    expect(await svc(wronged, 'users', 'import', 'bad.ndjson')).toMatchObject({ code: 0 });
    const { imports } = JSON.parse((await svc(wronged, 'imports', 'list', '--json')).stdout);
    const { runId } = imports[0].runs[0] as { runId: string };
    // Those who are used since stay.
    await send(never, '/v1/users', { users: bad.slice(0, USED) });
    const events = bad
      .slice(0, USED)
      .map(({ userId }) => ({ userId, event: 'e', timestamp: '2026-01-01T00:00:00Z' }));
    await toBoth('/v1/events', { events });
    const deletion = () =>
      store.read(({ sql }) =>
        sql.get<{ found: number; ended: number | null }>(
          'SELECT found, ended_at AS ended FROM user_deletion WHERE dry_run = 0 ORDER BY requested_at DESC LIMIT 1',
        ),
      );
    const found: number[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const going = svc(wronged, 'imports', 'undo', runId, '--yes', '--max-retries', '0');
      await expect.poll(deletion, { interval: 5 }).toBeDefined();
      await sleep(100 * random());
      await service.kill();
      await going;
      found.push(Number((await deletion())!.found));
      service = await serve(program, { ...options, port: service.port });
      await toBoth('/v1/users', { users: usersOf('good', 10, GOOD + 10 * kill) });
    }
    console.log(`users deleted at each kill: ${found.join(', ')}`);
    const undone = await svc(wronged, 'imports', 'undo', runId, '--yes', '--json');
    expect(undone.code, undone.stderr).toBe(0);
    expect(JSON.parse(undone.stdout)).toMatchObject({ status: 'done', kept: USED });
    await expect
      .poll(() => store.read(({ sql }) => sql.all('SELECT 1 AS one FROM signal_recount')))
      .toEqual([]);
    await expectSame();
    expect((await stateOf(store, 'ws_with')).app_user).toHaveLength(GOOD + 10 * KILLS + USED);
    // The next import sends them again.
    for (const each of [wronged, never])
      expect(await svc(each, 'users', 'import', 'bad.ndjson')).toMatchObject({ code: 0 });
    await expectSame();
    expect((await stateOf(store, 'ws_with')).app_user).toHaveLength(GOOD + 10 * KILLS + USERS);
  } finally {
    service.process.child.kill('SIGKILL');
    program.release();
  }
}, 600_000);
