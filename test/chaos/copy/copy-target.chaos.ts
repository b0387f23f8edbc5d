import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/kit/clock.ts';
import { createWorkspaceRows } from '../../../src/service/admin/create-workspace.ts';
import { readBatch } from '../../../src/service/events/ingest/batch.ts';
import { events } from '../../../src/service/events/store/events.ts';
import { connectStore } from '../../../src/service/platform/open.ts';
import { onDatabase } from '../../support/postgres/citus.ts';
import { startPostgres } from '../../support/postgres/postgres.ts';
import { RUN_AS } from '../../support/postgres/postgres-programs.ts';
import { startSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

/** SVC_COPIED_EVENTS overrides how many events are copied. */
const EVENTS = Number(process.env.SVC_COPIED_EVENTS ?? 60_000);
const WORKSPACE = 'ws_copied';

/** An SQLite file with events of a workspace. */
async function source(home: string): Promise<string> {
  const file = join(home, 'source.db');
  const store = await connectStore(file, systemClock);
  await store.write((tx) => createWorkspaceRows(tx, { id: WORKSPACE, region: null, mode: 'test' }));
  for (let from = 0; from < EVENTS; from += 1000) {
    const batch = Array.from({ length: 1000 }, (_, i) => ({
      ...{ userId: `u${(from + i) % 500}`, event: 'viewed', timestamp: '2026-01-01T00:00:00Z' },
      properties: { n: from + i, text: `${from + i} `.repeat(30) },
    }));
    const bytes = Buffer.from(JSON.stringify({ events: batch }));
    await store.write((tx) => events.append(tx, WORKSPACE, readBatch(bytes)), { durable: false });
  }
  await store.close();
  return file;
}

/** Runs `svc` on the data of a test. */
function machine(home: string) {
  const run = (...argv: string[]) => startSvc(argv, { home, cwd: home, env: { SVC_PROFILE: 'local' } });
  const frozenIn = async (database: string) => {
    const { stdout } = await run('workspaces', 'list', '--database', database, '--json').done;
    return JSON.parse(stdout).workspaces[0].frozenAt as string | null;
  };
  return { run, frozenIn };
}

/** Expects an error that says what to do, and a target that says of itself that it is not complete. */
async function expectUnfinished({ code, stdout, stderr }: Awaited<ReturnType<typeof startSvc>['done']>) {
  expect({ code, stdout }, stderr).toEqual({ code: 6, stdout: '' });
  expect(stderr).not.toContain('unexpected');
  expect(JSON.parse(stderr.trim().split('\n').at(-1)!).error.hint).toContain('svc data copy --from');
}

test('a target whose disk is full in the middle: an error, and the copy goes on once there is space', async () => {
  const home = tempDir();
  // Folders of tests can be entered by their user alone, and the server has another one.
  const disk = mkdtempSync(join(tmpdir(), 'svc-disk-'));
  chmodSync(disk, 0o755);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m,mode=777', 'svc-test', disk]).status !== 0) {
    console.warn('no file system can be mounted here: the target with a full disk is left out');
    return;
  }
  const space = join(disk, 'space');
  mkdirSync(space);
  if (RUN_AS.uid !== undefined) chownSync(space, RUN_AS.uid, RUN_AS.gid);
  const server = await startPostgres();
  onTestFinished(async () => {
    await server.stop();
    execFileSync('umount', ['-l', disk]);
    rmSync(disk, { recursive: true });
  });
  await onDatabase(server.admin, async (query) => {
    await query(`CREATE TABLESPACE small LOCATION '${space}'`);
    await query('CREATE DATABASE target TABLESPACE small');
  });
  const to = server.admin.replace(/postgres$/, 'target');
  const from = await source(home);
  const { run, frozenIn } = machine(home);
  const copy = () => run('data', 'copy', '--from', from, '--to', to, '--freeze', '--yes', '--json').done;
  const failed = await copy();
  console.log(failed.stderr);
  await expectUnfinished(failed);
  expect(failed.stderr).toContain('No space left on device');
  expect(await frozenIn(to)).not.toBeNull();
  expect(await frozenIn(from)).toBeNull();
  execFileSync('mount', ['-o', 'remount,size=1g', disk]);
  const done = await copy();
  expect(done.code, done.stderr).toBe(0);
  expect(JSON.parse(done.stdout)).toMatchObject({ equal: true, workspaces: [WORKSPACE] });
  expect(await frozenIn(to)).toBeNull();
  expect(await frozenIn(from)).not.toBeNull();
});

test.each(['shut down', 'killed'])(
  'a target that is %s and starts again in the middle: an error, and the copy goes on',
  async (how) => {
    const home = tempDir();
    const server = await startPostgres({ durable: true });
    onTestFinished(() => server.stop());
    await onDatabase(server.admin, async (query) => void (await query('CREATE DATABASE target')));
    const to = server.admin.replace(/postgres$/, 'target');
    const from = await source(home);
    const { run, frozenIn } = machine(home);
    const copy = () => run('data', 'copy', '--from', from, '--to', to, '--freeze', '--yes', '--json');
    const stored = async () => {
      try {
        let rows = 0;
        await onDatabase(to, async (query) => {
          rows = Number((await query('SELECT count(*) AS n FROM event')).rows[0].n);
        });
        return rows;
      } catch {
        return 0;
      }
    };
    const going = copy();
    await expect.poll(stored, { timeout: 60_000, interval: 20 }).toBeGreaterThan(EVENTS / 10);
    await (how === 'killed' ? server.kill() : server.shutDown());
    await server.start();
    const failed = await going.done;
    console.log(failed.stderr, await stored());
    await expectUnfinished(failed);
    expect(await stored()).toBeLessThan(EVENTS);
    expect(await frozenIn(to)).not.toBeNull();
    expect(await frozenIn(from)).toBeNull();
    const done = await copy().done;
    expect(done.code, done.stderr).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject({ equal: true });
    expect(await stored()).toBe(EVENTS);
    expect(await frozenIn(to)).toBeNull();
  },
);
