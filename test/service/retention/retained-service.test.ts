import { expect, test } from 'vitest';
import { models } from '../../../src/service/decisions/store/models.ts';
import { events } from '../../../src/service/events/store/events.ts';
import { REMOVALS_BY_AGE } from '../../../src/service/features.ts';
import { cleanOnce } from '../../../src/service/retention/janitor.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';
import { DAY_MS } from '../../support/retention/aged-store.ts';

const RETAIN = { events: 30 * DAY_MS, decisions: 30 * DAY_MS, notifications: 30 * DAY_MS };

async function json(service: TestService, path: string, body?: unknown) {
  const answer = await service.fetch(path, body === undefined ? {} : { body });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

/** Makes what is stored older by 40 days. */
async function age({ platform, workspace }: TestService): Promise<void> {
  const by = 40 * DAY_MS;
  await platform.store.write(async ({ sql }) => {
    for (const [table, column] of [
      ['event', 'received_at'],
      ['decision', 'at_ms'],
      ['outcome', 'at_ms'],
      ['reward', 'at_ms'],
    ])
      await sql.run(`UPDATE ${table} SET ${column} = ${column} - ? WHERE workspace_id = ?`, [by, workspace]);
  });
}

async function clean({ platform, retention, workspace }: TestService): Promise<void> {
  while ((await cleanOnce(platform, retention, REMOVALS_BY_AGE, workspace)) > 0);
}

const count = async ({ platform, workspace }: TestService, table: string) => {
  const row = await platform.store.read(({ sql }) =>
    sql.get<{ n: number }>(`SELECT count(*) AS n FROM ${table} WHERE workspace_id = ?`, [workspace]),
  );
  return Number(row!.n);
};

const sent = (userId: string) => ({ userId, event: 'seen', timestamp: '2026-01-01T00:00:00Z' });

/** The first messages of the event stream. */
async function streamed(service: TestService, lastEventId: string, until: RegExp): Promise<string> {
  const answer = await service.fetch('/v1/events/stream', { headers: { 'last-event-id': lastEventId } });
  const reader = answer.body!.getReader();
  let text = '';
  while (!until.test(text)) text += Buffer.from((await reader.read()).value!).toString();
  await reader.cancel();
  return text;
}

test('says everywhere what was removed, and removes what hangs off it', async () => {
  const service = await startTestService({ retain: RETAIN });
  const { platform, workspace } = service;
  await json(service, '/v1/events', { events: ['u1', 'u2', 'u3'].map(sent) });
  const users = await json(service, '/v1/users', { users: [{ userId: 'u4' }] });
  const [{ hashId }] = users.body.users as [{ hashId: string }];
  const context = { channel: 'in-app', surface: 'home' };
  const decided = [];
  for (let i = 0; i < 3; i++) {
    const { body } = await json(service, '/v1/decisioning/decide', { hashId, context });
    decided.push(String(body.decisionId));
  }
  for (const id of decided) await json(service, `/v1/messages/${id}/outcomes`, { type: 'actioned' });
  await expect.poll(() => service.idle()).toBe(true);
  const learned = await platform.store.read((tx) => models.head(tx, workspace));
  expect(learned!.learnedSeq).toBeGreaterThan(0);
  const [last] = (await json(service, '/v1/decisions?order=newest')).body.decisions as [
    { decisionId: string },
  ];
  expect((await json(service, '/v1/decisions')).body).not.toHaveProperty('removedBefore');

  await age(service);
  await clean(service);
  await json(service, '/v1/events', { events: ['u4', 'u5'].map(sent) });

  // The stream, from a position that is gone and from one that is not.
  const gap = await streamed(service, '1', /"userId":"u5"/);
  expect(gap).toMatch(/id: 3\nevent: gap\ndata: \{"removedBefore":"[^"]+"\}\n\nid: 4\nevent: event\n/);
  expect(await streamed(service, '3', /"userId":"u5"/)).not.toContain('gap');

  // The log of decisions, whose numbers go on.
  const { body } = await json(service, '/v1/decisions');
  expect(body).toMatchObject({ decisions: [], removedBefore: expect.any(String) });
  expect((await json(service, `/v1/decisions?since=${new Date().toISOString()}`)).body).not.toHaveProperty(
    'removedBefore',
  );
  const gone = await json(service, `/v1/decisions/${last!.decisionId}`);
  expect(gone).toMatchObject({ status: 404, body: { message: expect.stringContaining('were removed') } });
  for (const table of ['decision', 'outcome', 'reward']) expect(await count(service, table), table).toBe(0);
  expect(await platform.store.read((tx) => models.head(tx, workspace))).toEqual(learned);
  await json(service, '/v1/decisioning/decide', { hashId, context });
  const { body: after } = await json(service, '/v1/decisions?after=3');
  expect(after.decisions).toHaveLength(1);
  expect(after).not.toHaveProperty('removedBefore');

  // The end of the log, from either side.
  await json(service, '/v1/decisioning/decide', { hashId, context });
  const newest = '/v1/decisions?order=newest&limit=1';
  const page = await json(service, newest);
  expect(page.body).not.toHaveProperty('removedBefore');
  expect((await json(service, `${newest}&after=${page.body.next}`)).body).toHaveProperty('removedBefore');
  const timeline = `/v1/users/${hashId}/timeline`;
  const timelinePage = await json(service, `${timeline}?limit=1`);
  expect(timelinePage.body).not.toHaveProperty('decisionsRemovedBefore');
  const removed = { eventsRemovedBefore: expect.any(String), decisionsRemovedBefore: expect.any(String) };
  expect((await json(service, timeline)).body).toMatchObject(removed);
  expect((await json(service, `${timeline}?kinds=message`)).body).not.toHaveProperty('eventsRemovedBefore');

  // Commands and exports.
  for (const command of [
    ['decisions', 'list', '--oldest'],
    ['decisions', 'list', '--hash-id', 'ab'.repeat(32)],
    ['decisions', 'list', '--until', '2025-01-01T00:00:00Z'],
    ['users', 'timeline', '--hash-id', hashId, '--until', '2025-01-01T00:00:00Z'],
  ])
    expect((await runSvc(command, { env: service.env })).stderr).toMatch(
      /decisions from before \S+ were removed by the service/,
    );
  const evaluated = await runSvc(['decisions', 'evaluate', '--json'], { env: service.env });
  expect(JSON.parse(evaluated.stdout)).toHaveProperty('removedBefore');
  const exported = await runSvc(['data', 'export', '--type', 'event'], { env: service.env });
  const final = exported.stdout.trim().split('\n').at(-1)!;
  expect(JSON.parse(final)).toMatchObject({ type: 'removal', of: 'events', workspace });

  // An erasure finds what is left.
  await service.fetch(`/v1/users/${hashId}`, { method: 'DELETE' });
  await expect
    .poll(async () =>
      (await platform.store.read((tx) => events.after(tx, workspace, 0, 10))).rows.map((e) => e.userId),
    )
    .toEqual(['u5']);
});

test('removes old notifications that have ended, and users without a decision', async () => {
  const service = await startTestService({ retain: RETAIN });
  const { platform, workspace } = service;
  const users = await json(service, '/v1/users', { users: [{ userId: 'u1', phone: '+4915199887766' }] });
  const [{ hashId }] = users.body.users as [{ hashId: string }];
  const trigger = { hashId, templateId: 'welcome', channel: 'sms', priority: 'transactional' };
  const ids = [];
  for (let i = 0; i < 4; i++)
    ids.push(String((await json(service, '/v1/inform/trigger', trigger)).body.notificationId));
  const [old, waiting, held, fresh] = ids as [string, string, string, string];
  await expect.poll(() => service.idle()).toBe(true);
  for (const id of [old, fresh])
    await json(service, `/v1/inform/notifications/${id}/outcomes`, { type: 'opened' });
  const known = hashId;
  const gone = 'ab'.repeat(32);
  for (const each of [known, gone])
    await json(service, '/v1/decisioning/decide', { hashId: each, context: {} });
  await expect.poll(() => service.idle()).toBe(true);
  await platform.store.write(async ({ sql, now }) => {
    await sql.run(
      'INSERT INTO notification_send (workspace_id, notification_id, address_hash, provider, status, at_ms) SELECT workspace_id, notification_id, ?, ?, ?, created_at FROM notification WHERE workspace_id = ?',
      ['hash', 'p', 'sent', workspace],
    );
    for (const id of [old, waiting, held])
      await sql.run(
        'UPDATE notification SET created_at = created_at - ? WHERE workspace_id = ? AND notification_id = ?',
        [40 * DAY_MS, workspace, id],
      );
    // They are sent only after the test.
    for (const [id, status] of [
      [waiting, 'queued'],
      [held, 'held'],
    ] as const)
      await sql.run(
        'UPDATE notification SET status = ?, due_at = ? WHERE workspace_id = ? AND notification_id = ?',
        [status, now + DAY_MS, workspace, id],
      );
    await sql.run('UPDATE decision SET at_ms = at_ms - ? WHERE workspace_id = ? AND hash_id = ?', [
      40 * DAY_MS,
      workspace,
      gone,
    ]);
    await sql.run('UPDATE decision SET seq = -seq WHERE workspace_id = ? AND hash_id = ?', [workspace, gone]);
  });
  await clean(service);
  const left = async (table: string) =>
    (
      await platform.store.read(({ sql }) =>
        sql.all<{ id: string }>(
          `SELECT ${table === 'outcome' ? 'id' : 'notification_id'} AS id FROM ${table} WHERE workspace_id = ?`,
          [workspace],
        ),
      )
    )
      .map(({ id }) => id)
      .sort();
  expect(await left('notification')).toEqual([waiting, held, fresh].sort());
  expect(await left('notification_send')).toEqual([waiting, held, fresh].sort());
  expect(await left('outcome')).toEqual([fresh]);
  expect((await json(service, `/v1/inform/notifications/${old}`)).status).toBe(404);
  expect(
    await platform.store.read(({ sql }) =>
      sql.all('SELECT hash_id FROM decided_user WHERE workspace_id = ?', [workspace]),
    ),
  ).toEqual([{ hash_id: known }]);
});

test('keeps notifications for 400 days unless it is told otherwise', async () => {
  const service = await startTestService();
  expect(service.retention()).toEqual({
    events: null,
    decisions: null,
    notifications: 400 * DAY_MS,
    eventIds: 90 * DAY_MS,
    outcomes: 30 * DAY_MS,
  });
  await expect(
    startTestService({ database: service.database, retain: { notifications: 6 * DAY_MS } }),
  ).rejects.toThrow(
    'notifications cannot be kept for 6d: the receipt of a provider needs them for 7d, so nothing was changed',
  );
});

test('a decision stays until what it earned is learned', async () => {
  const service = await startTestService({ retain: RETAIN });
  const { platform, workspace } = service;
  await json(service, '/v1/decisioning/decide', { hashId: 'h'.repeat(64), context: {} });
  await expect.poll(() => service.idle()).toBe(true);
  await platform.store.write(({ sql }) =>
    sql.run(
      `INSERT INTO reward (workspace_id, seq, decision_id, content_id, context, prior, reward, earned, at_ms)
       SELECT workspace_id, 1000, decision_id, content_id, context, prior, 1, 1, at_ms FROM decision WHERE workspace_id = ?`,
      [workspace],
    ),
  );
  await age(service);
  await clean(service);
  expect(await count(service, 'decision')).toBe(1);
  await platform.store.write(({ sql }) =>
    sql.run('DELETE FROM reward WHERE workspace_id = ? AND seq = 1000', [workspace]),
  );
  await clean(service);
  expect(await count(service, 'decision')).toBe(0);
});

test('a decision stays until what it earned is counted', async () => {
  const service = await startTestService({ retain: RETAIN });
  await json(service, '/v1/decisioning/decide', { hashId: 'h'.repeat(64), context: {} });
  await expect.poll(() => service.idle()).toBe(true);
  const countedUpTo = (seq: number) =>
    service.platform.store.write(({ sql }) =>
      sql.run('UPDATE content_count_head SET seq = ? WHERE workspace_id = ?', [seq, service.workspace]),
    );
  const left = async () => [await count(service, 'decision'), await count(service, 'reward')];
  await countedUpTo(0);
  await age(service);
  await clean(service);
  expect(await left()).toEqual([1, 1]);
  await countedUpTo(1);
  await clean(service);
  expect(await left()).toEqual([0, 0]);
});

test('keeps the retention with the data until it is taken back, and not less than the catalog reads', async () => {
  const service = await startTestService({ retain: RETAIN });
  const { database } = service;
  const other = await startTestService({ database });
  expect(other.retention()).toMatchObject(RETAIN);
  await expect(startTestService({ database, retain: { decisions: 14 * DAY_MS } })).rejects.toThrow(
    'decisions cannot be kept for 14d: the reward window of the catalog needs them for 15d, so nothing was changed',
  );
  await startTestService({ database, retain: { events: null } });
  await expect.poll(() => other.retention()).toMatchObject({ ...RETAIN, events: null });
});

test('refuses a catalog of a workspace that reads what is not kept, and a retention that such a catalog needs longer', async () => {
  const service = await startTestService({ retain: { events: 40 * DAY_MS } });
  const { catalog } = (await json(service, '/v1/catalog')).body as { catalog: { contents: object[] } };
  const put = async (withinDays: number) => {
    const rule = { events: [{ event: 'purchase', withinDays, atLeast: 1 }] };
    const contents = [{ ...catalog.contents[0], eligibility: rule }, ...catalog.contents.slice(1)];
    const answer = await service.fetch('/v1/catalog', {
      method: 'PUT',
      body: { catalog: { ...catalog, contents } },
    });
    return { status: answer.status, body: await answer.json() };
  };
  expect(await put(50)).toMatchObject({
    status: 409,
    body: {
      message:
        'events cannot be kept for 40d: a rule of the catalog on the event purchase needs them for 50d, so nothing was changed.',
    },
  });
  expect(await put(35)).toMatchObject({ status: 200, body: { version: 1 } });
  await expect(
    startTestService({ database: service.database, retain: { events: 32 * DAY_MS } }),
  ).rejects.toThrow('a rule of the catalog on the event purchase needs them for 35d');
});
