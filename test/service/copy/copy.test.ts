import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/kit/clock.ts';
import { backupData, copyData, restoreData } from '../../../src/service/admin/data.ts';
import { copyStore, measure } from '../../../src/service/copy/copy.ts';
import { copiedTables } from '../../../src/service/copy/tables.ts';
import { connectStore, filesOf } from '../../../src/service/platform/open.ts';
import { SqliteStore } from '../../../src/service/platform/store/sqlite/store.ts';
import type { Store } from '../../../src/service/platform/store/store.ts';
import { workspaces } from '../../../src/service/platform/store/workspaces.ts';
import { startService } from '../../../src/service/start.ts';
import type { RawService } from '../../support/peers/raw-service.ts';
import { freshDatabase } from '../../support/postgres/database.ts';
import { content, decide, identify, open, outcome } from '../../support/process/decisions-service.ts';
import { killable } from '../../support/process/killable.ts';
import { ROOT } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

const OPTIONS = {
  workspaces: [],
  freeze: false,
  opens: true,
  clock: systemClock,
  signal: new AbortController().signal,
};
const place = (database: string, dataDir: string) => ({ database, dataDir, dataKey: undefined });

async function opened(database: string): Promise<Store> {
  const store = await connectStore(database, systemClock);
  onTestFinished(() => store.close());
  return store;
}

const eventsOf = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({
    userId: `user-${(from + i) % 7}`,
    event: 'viewed',
    timestamp: '2026-11-20T10:00:00Z',
    properties: { n: from + i, text: 'ä "quoted"\n' },
    eventId: `event-${from + i}`,
  }));

/** Gives a service rows in most tables. */
async function fill(service: RawService, events = 1500): Promise<string> {
  for (let from = 0; from < events; from += 500)
    await service.send('POST', '/v1/events', { events: eventsOf(from, Math.min(500, events - from)) });
  const goal = { goalId: 'order', event: 'viewed', within: '7d' };
  const catalog = { contents: [content('a'), content('b')], goals: [goal] };
  expect((await service.send('PUT', '/v1/catalog', { catalog })).status).toBe(200);
  const hook = {
    url: 'http://127.0.0.1:9/svc',
    events: ['campaign.clicked'],
    signingSecret: 'a-secret-of-the-test',
  };
  expect(await service.send('POST', '/v1/webhooks', hook)).toMatchObject({ status: 201 });
  let hashId = '';
  for (let n = 0; n < 7; n++) {
    hashId = await identify(service, {
      userId: `user-${n}`,
      emails: [`${n}@x.example`],
      traits: { plan: 'pro' },
    });
    const { decisionId } = (await decide(service, hashId)).body;
    await outcome(service, decisionId, 'clicked');
  }
  await expect.poll(() => service.idle()).toBe(true);
  return hashId;
}

test('the tables are those of the schema, with their columns and keys', async () => {
  const store = await SqliteStore.open(join(tempDir(), 'data.db'), systemClock);
  onTestFinished(() => store.close());
  const columns = await store.read(({ sql }) =>
    sql.all<{ table: string; name: string; pk: number }>(
      `SELECT m.name AS "table", c.name, c.pk FROM sqlite_master m, pragma_table_info(m.name) c
       WHERE m.type = 'table' AND m.name NOT IN ('schema_version', 'setting', 'node', 'admission') ORDER BY c.cid`,
    ),
  );
  const byTable = new Map<string, typeof columns>();
  for (const each of columns) byTable.set(each.table, [...(byTable.get(each.table) ?? []), each]);
  const found = new Map(copiedTables().map((table) => [table.name, table]));
  expect([...found.keys()].sort()).toEqual([...byTable.keys()].sort());
  for (const [name, own] of byTable) {
    const names = found.get(name)!.columns.map((column) => column.name);
    expect(names[0]).toBe('workspace_id');
    expect(names.sort()).toEqual(own.map((column) => column.name).sort());
    const key = own.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
    expect(found.get(name)!.key).toEqual(
      key.map((column) => column.name).filter((column) => column !== 'workspace_id'),
    );
  }
});

test('a copy has every row, in either engine and back, and serves as before', async () => {
  const service = await open({ allowLoopbackWebhooks: true });
  const hashId = await fill(service);
  const before = (await service.send('GET', '/v1/decisions')).body;
  const dataDir = tempDir();
  const key = readFileSync(`${service.files}.key`, 'utf8');
  const [file, again] = [join(dataDir, 'copy.db'), await freshDatabase(tempDir())];
  await service.close();
  const first = await copyData(place(service.database, service.folder), place(file, dataDir), OPTIONS);
  const second = await copyData(place(file, dataDir), place(again, dataDir), OPTIONS);
  expect(second.tables).toEqual(first.tables);
  expect(first.tables.length).toBeGreaterThan(15);
  expect(first.tables.find(({ table }) => table === 'event')!.rows).toBe(1500);
  expect(readFileSync(`${filesOf(again, dataDir)}.key`, 'utf8')).toBe(key);
  const copy = await startService({ database: again, dataDir, port: 0 });
  onTestFinished(() => copy.close());
  const send = async (method: string, path: string, body?: object) => {
    const answer = await fetch(copy.url + path, {
      method,
      headers: {
        authorization: `Bearer ${service.apiKey}`,
        'x-service-workspace': service.workspace,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  expect((await send('GET', '/v1/decisions')).body).toEqual(before);
  expect((await send('GET', `/v1/users/${hashId}/timeline`)).status).toBe(200);
  // It goes on with the numbers, the ids of events and the keys of before.
  expect((await send('POST', '/v1/events', { events: eventsOf(1400, 200) })).body).toMatchObject({
    accepted: 200,
    duplicates: 100,
  });
  const decided = await send('POST', '/v1/decisioning/decide', {
    hashId,
    context: { channel: 'in-app', surface: 'home', locale: 'en-GB' },
  });
  expect(decided.status).toBe(200);
  const newest = (await send('GET', '/v1/decisions')).body as { decisions: { decisionId: string }[] };
  expect(newest.decisions.at(-1)!.decisionId).toBe(decided.body.decisionId);
});

test('with a freeze, what was acknowledged during the copy is in it', async () => {
  const service = await open({ allowLoopbackWebhooks: true });
  await fill(service, 3000);
  const target = await opened(join(tempDir(), 'copy.db'));
  const source = await opened(service.database);
  let sent = 3000;
  let refused: Response | undefined;
  const sending = (async () => {
    while (!refused) {
      const answer = await service.send('POST', '/v1/events', { events: eventsOf(sent, 100) });
      if (answer.status === 503) refused = new Response(answer.text, { headers: answer.headers });
      else sent += 100;
      // The service and the copy share a thread here.
      await sleep(20);
    }
  })();
  await sleep(200);
  const copied = await copyStore(source, target, { ...OPTIONS, freeze: true });
  await sending;
  expect(sent).toBeGreaterThan(3000);
  expect(Number(refused!.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused!.text()).toContain('frozen');
  expect(copied.tables.find(({ table }) => table === 'event')!.rows).toBe(sent);
  const sizes = await Promise.all([source, target].map((store) => measure(store, [])));
  expect(sizes[0]).toEqual(sizes[1]);
  // The source stays frozen, the copy works.
  const frozen = (store: Store) =>
    store.read(({ sql }) => sql.get<{ frozen: number | null }>('SELECT frozen_at AS frozen FROM workspace'));
  expect((await frozen(source))!.frozen).not.toBeNull();
  expect((await frozen(target))!.frozen).toBeNull();
});

test('a copy that is killed again and again is complete in the end, and not before', async () => {
  const service = await open({ allowLoopbackWebhooks: true });
  await fill(service, 12_000);
  await service.close();
  const to = join(tempDir(), 'copy.db');
  const program = await killable<object>(join(ROOT, 'test/support/copy/copy-program.ts'));
  onTestFinished(() => program.release());
  let unfinished = 0;
  for (let kills = 0; kills < 6; kills++) {
    await program.start({ from: service.database, to });
    // The last ones come while the source is frozen, or after the end.
    await sleep([20, 110, 290, 600, 1100, 1600][kills]!);
    await program.kill();
    const store = await connectStore(to, systemClock);
    const row = await store.read(({ sql }) =>
      sql.get<{ frozen: number | null }>('SELECT frozen_at AS frozen FROM workspace'),
    );
    const isWhole = row?.frozen === null;
    if (row && !isWhole) unfinished++;
    await store.close();
    if (isWhole) break;
  }
  expect(unfinished).toBeGreaterThan(0);
  const [source, target] = [await opened(service.database), await opened(to)];
  const whole = await measure(target, []).then(
    async (size) => JSON.stringify(size) === JSON.stringify(await measure(source, [])),
    () => false,
  );
  if (!whole) await copyStore(source, target, OPTIONS);
  // However a killed run left the source.
  const work = await target.read(({ sql }) =>
    sql.get<{ frozen: number | null }>('SELECT frozen_at AS frozen FROM workspace'),
  );
  expect(work!.frozen).toBeNull();
  const [from, copy] = await Promise.all([source, target].map((store) => measure(store, [])));
  expect(copy).toEqual(from);
  await expect(copyStore(source, target, OPTIONS)).rejects.toMatchObject({ reason: 'exists' });
}, 300_000);

test('a backup restores a moment, and no other file is taken for one', async () => {
  const service = await open({ allowLoopbackWebhooks: true });
  await fill(service);
  const dir = tempDir();
  const file = join(dir, 'svc.backup');
  // What a killed process of this machine left is removed, and nothing that another may use.
  const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
  const left = [`${host}-4194305-a`, `${host}-${process.pid}-a`, '00000000-4194305-a'];
  for (const name of left) mkdirSync(join(dir, `.svc-backup-${name}`));
  const manifest = await backupData(place(service.database, service.folder), file, '0.0.0', OPTIONS);
  await service.send('POST', '/v1/events', { events: eventsOf(5000, 100) });
  expect(manifest.tables.find(({ table }) => table === 'event')!.rows).toBe(1500);
  expect(readdirSync(dir).sort()).toEqual(
    [...left.slice(1).map((name) => `.svc-backup-${name}`), 'svc.backup'].sort(),
  );
  const bytes = readFileSync(file);
  await fc.assert(
    fc.asyncProperty(
      fc.nat(bytes.length - 1),
      fc.option(fc.integer({ min: 1, max: 255 })),
      async (at, mask) => {
        const changed = mask === null ? bytes.subarray(0, at) : Buffer.from(bytes);
        if (mask !== null) changed[at]! ^= mask;
        const damaged = join(dir, 'damaged.backup');
        writeFileSync(damaged, changed);
        const to = join(dir, `${at}-${mask}.db`);
        await expect(restoreData(damaged, place(to, dir), OPTIONS)).rejects.toMatchObject({
          name: 'BackupDamaged',
        });
        expect(existsSync(to)).toBe(false);
      },
    ),
    { numRuns: 30 },
  );
  const to = join(dir, 'restored.db');
  copyFileSync(`${service.files}.key`, `${to}.key`);
  const { copied, hasKey } = await restoreData(file, place(to, dir), OPTIONS);
  expect(hasKey).toBe(true);
  expect(copied.tables).toEqual(manifest.tables);
  // Another key is refused before anything is written.
  const other = join(dir, 'other.db');
  writeFileSync(`${other}.key`, `${'ab'.repeat(32)}\n`);
  await expect(restoreData(file, place(other, dir), OPTIONS)).rejects.toMatchObject({ reason: 'other_key' });
  expect(existsSync(other)).toBe(false);
});

test('a copy that is going on is not begun a second time, and opens nothing', async () => {
  const service = await open({ allowLoopbackWebhooks: true });
  await fill(service, 500);
  const [source, to] = [await opened(service.database), join(tempDir(), 'copy.db')];
  const target = await opened(to);
  const stop = new AbortController();
  const copying = copyStore(source, target, {
    ...OPTIONS,
    signal: stop.signal,
    onProgress: () => stop.abort(),
  });
  await expect(copying).rejects.toThrow();
  const { openAccounts } = await import('../../../src/service/admin/admin.ts');
  const accounts = await openAccounts(to, systemClock);
  await expect(accounts.openWorkspace(service.workspace)).rejects.toMatchObject({
    reason: 'unfinished_copy',
  });
  await accounts.close();
  await target.write(async (tx) => {
    const mark = { run: 'copy_other', host: 'elsewhere.example', pid: 1, at: tx.now };
    await tx.sql.run('UPDATE setting SET value = ? WHERE name = ?', [
      JSON.stringify(mark),
      `copy ${service.workspace}`,
    ]);
  });
  await expect(copyStore(source, target, OPTIONS)).rejects.toMatchObject({ reason: 'running' });
  await expect(copyStore(target, source, OPTIONS)).rejects.toMatchObject({ reason: 'unfinished' });
});

test('the copy of a source that goes on stays frozen, and one that is moved waits for what is being sent', async () => {
  const service = await open({ allowLoopbackWebhooks: true });
  const hashId = await fill(service, 100);
  const source = await opened(service.database);
  const frozen = (store: Store) => store.read((tx) => workspaces.frozen(tx));
  const beside = await opened(join(tempDir(), 'beside.db'));
  await copyStore(source, beside, { ...OPTIONS, opens: false });
  expect([...(await frozen(beside))]).toEqual([service.workspace]);
  expect([...(await frozen(source))]).toEqual([]);

  const body = { hashId, templateId: 'welcome', channel: 'email' };
  const { notificationId } = (await service.send('POST', '/v1/inform/trigger', body)).body as {
    notificationId: string;
  };
  await expect.poll(() => service.idle()).toBe(true);
  await service.close();
  const end = Date.now() + 3000;
  const set = (claimed: number, due: number | null) =>
    source.write((tx) =>
      tx.sql.run(
        'UPDATE notification SET claimed = ?, due_at = ? WHERE workspace_id = ? AND notification_id = ?',
        [claimed, due, service.workspace, notificationId],
      ),
    );
  await set(1, end);
  const sent = sleep(2500).then(() => set(0, null));
  const target = await opened(join(tempDir(), 'moved.db'));
  await copyStore(source, target, { ...OPTIONS, freeze: true });
  await sent;
  const row = await target.read(({ sql }) =>
    sql.get('SELECT claimed FROM notification WHERE notification_id = ?', [notificationId]),
  );
  expect(row).toEqual({ claimed: 0 });
});

test('a source that somebody opens before the end is noticed, and the target does not work', async () => {
  const service = await open({ allowLoopbackWebhooks: true });
  await fill(service, 100);
  const source = await opened(service.database);
  const target = await opened(join(tempDir(), 'copy.db'));
  const openOnceFrozen = async () => {
    while ((await source.read((tx) => workspaces.frozen(tx))).size === 0) await sleep(20);
    await source.write((tx) => workspaces.open(tx, [service.workspace]));
  };
  let opening: Promise<void> | undefined;
  const copying = copyStore(source, target, {
    ...OPTIONS,
    freeze: true,
    onProgress: ({ phase }) => {
      if (phase === 'freeze') opening ??= openOnceFrozen();
    },
  });
  await expect(copying).rejects.toThrow('was opened in the source');
  await opening;
  expect([...(await target.read((tx) => workspaces.frozen(tx)))]).toEqual([service.workspace]);
});
