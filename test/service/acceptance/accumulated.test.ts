import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { MAX_WEBHOOKS } from '../../../src/contract/limits.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

/** Runs an INSERT … SELECT over the numbers 1 to `count`, as `n.i`. */
const fill = (service: TestService, count: number, insert: string, params: (string | number)[]) =>
  service.platform.store.write((tx) =>
    tx.sql.run(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) ${insert}`,
      params,
    ),
  );

const json = async (answer: Response) => ({ status: answer.status, body: JSON.parse(await answer.text()) });

async function known(service: TestService, user: object): Promise<string> {
  const { body } = await json(await service.fetch('/v1/users', { body: { users: [user] } }));
  return body.users[0].hashId;
}

const decide = async (service: TestService, hashId: string) =>
  (await json(await service.fetch('/v1/decisioning/decide', { body: { hashId } }))).body;

const subscriptions = (service: TestService, count: number) =>
  fill(
    service,
    count,
    `INSERT INTO webhook (workspace_id, webhook_id, url, events, status, secret, created_at)
     SELECT ?, 'wh_old' || CAST(i AS TEXT), ?, '["campaign.clicked"]', 'active', CAST('x' AS ${service.platform.store.dialect.blob}), i FROM n`,
    [service.workspace, `https://example.com/${'p'.repeat(1500)}`],
  );

it('decides for a user with 80,000 events that rules count', async () => {
  const catalog = join(tempDir(), 'catalog.json');
  const content = (contentId: string, rule: object) => ({
    ...{ contentId, category: 'c', format: 'card', title: 'T', body: 'B' },
    eligibility: { events: [{ event: 'viewed', withinDays: 30, ...rule }] },
  });
  const contents = [content('often', { atLeast: 100 }), content('seldom', { atMost: 99 })];
  writeFileSync(catalog, JSON.stringify({ contents }));
  const service = await startTestService({ catalog });
  const hashId = await known(service, { userId: 'hot' });
  await fill(
    service,
    80_000,
    `INSERT INTO recent_event (workspace_id, user_id, event, at_ms, number)
     SELECT ?, 'hot', 'viewed', CAST(? AS BIGINT) - i, i FROM n`,
    [service.workspace, Date.now()],
  );
  // Each of these decisions once took over a minute: the timeout of the test.
  for (let i = 0; i < 20; i++) expect((await decide(service, hashId)).action.contentId).toBe('often');
  // With these statistics PostgreSQL prefers to scan the whole table.
  await service.platform.store.write((tx) => tx.sql.run('ANALYZE'));
  const other = await known(service, { userId: 'quiet' });
  expect((await decide(service, other)).action.contentId).toBe('seldom');
});

it('pages of the decision log are bounded in bytes and complete', async () => {
  const service = await startTestService();
  const wide = JSON.stringify(Array.from({ length: 2000 }, (_, i) => [`content_${i}`, 0.0005, 0.1]));
  await fill(
    service,
    60,
    `INSERT INTO decision (seq, workspace_id, decision_id, hash_id, at_ms, context, content_id, candidates, prior,
       model_version, seed, reward)
     SELECT i, ?, 'dec_' || CAST(i AS TEXT), 'h', i, '{}', 'content_0', ?, 0.1, 0, 's', 0 FROM n`,
    [service.workspace, wide],
  );
  const seen: string[] = [];
  for (let after = '0'; after !== null; ) {
    const text = await (await service.fetch(`/v1/decisions?after=${after}`)).text();
    expect(text.length).toBeLessThan(2 * 1024 * 1024);
    const { decisions, next } = JSON.parse(text);
    seen.push(...decisions.map(({ decisionId }: { decisionId: string }) => decisionId));
    after = next;
  }
  expect(seen).toEqual(Array.from({ length: 60 }, (_, i) => `dec_${i + 1}`));
  const judged = await runSvc(['decisions', 'evaluate', '--json'], { env: service.env });
  expect(JSON.parse(judged.stdout)).toMatchObject({ decisions: 60 });
});

it('limits the subscriptions of a workspace, not counting removed ones', async () => {
  const service = await startTestService();
  await subscriptions(service, MAX_WEBHOOKS - 1);
  const events = ['campaign.clicked'];
  const body = { url: 'https://example.com/', events, signingSecret: 'a secret of a test' };
  const create = async () => json(await service.fetch('/v1/webhooks', { body }));
  const last = await create();
  expect(last.status).toBe(201);
  expect(await create()).toMatchObject({ status: 409, body: { error: 'conflict' } });
  await service.fetch(`/v1/webhooks/${last.body.id}`, { method: 'DELETE' });
  expect((await create()).status).toBe(201);
});

it('lists more than one page of subscriptions, also in the command', async () => {
  const service = await startTestService();
  await subscriptions(service, 1500);
  const { body } = await json(await service.fetch('/v1/webhooks'));
  expect(JSON.stringify(body).length).toBeLessThan(1024 * 1024);
  expect(body.next).toEqual(expect.any(String));
  const run = await runSvc(['webhooks', 'list', '--json'], { env: service.env });
  const { webhooks, next } = JSON.parse(run.stdout);
  expect([new Set(webhooks.map(({ id }: { id: string }) => id)).size, next]).toEqual([1500, undefined]);
});

it('shows the latest attempts of deliveries with very many attempts', async () => {
  const service = await startTestService();
  await subscriptions(service, 1);
  await fill(
    service,
    150,
    `INSERT INTO delivery (workspace_id, delivery_id, webhook_id, kind, body, status, occurred_at, attempts, claim,
       claimed, due_at)
     SELECT ?, 'dlv_' || CAST(i AS TEXT), 'wh_old1', 'campaign.clicked', '{}', 'failed', CAST(? AS BIGINT) + i, 10,
       60, 0, NULL FROM n`,
    [service.workspace, Date.now() - 1000],
  );
  await fill(
    service,
    50,
    `INSERT INTO delivery_attempt (workspace_id, delivery_id, number, at, status, error, duration_ms, signed_by)
     SELECT d.workspace_id, d.delivery_id, i, i, NULL, ?, 1, '[1]' FROM n, delivery d WHERE d.workspace_id = ?`,
    ['e'.repeat(500), service.workspace],
  );
  const text = await (await service.fetch('/v1/webhooks/wh_old1/deliveries')).text();
  expect(text.length).toBeLessThan(1024 * 1024);
  const first = JSON.parse(text);
  expect(first.deliveries[0].attempts).toHaveLength(50);
  expect(first.next).toEqual(expect.any(String));
  const run = await runSvc(['webhooks', 'deliveries', 'wh_old1', '--json'], { env: service.env });
  const ids = JSON.parse(run.stdout).deliveries.map(({ deliveryId }: { deliveryId: string }) => deliveryId);
  // The newest ones, as many as before.
  expect(ids).toEqual(Array.from({ length: 100 }, (_, i) => `dlv_${150 - i}`));
});

it('queues the deliveries of an outcome to 1,000 subscriptions in chunks', async () => {
  const service = await startTestService();
  await subscriptions(service, 1000);
  const hashId = await known(service, { userId: 'u' });
  const { decisionId } = await decide(service, hashId);
  const { store } = service.platform;
  const pieces: number[] = [];
  const write = store.write.bind(store);
  vi.spyOn(store, 'write').mockImplementation((work, options) =>
    write(async (tx) => {
      let queued = 0;
      const run: typeof tx.sql.run = async (sql, params) => {
        const changed = await tx.sql.run(sql, params);
        if (/^\s*INSERT INTO delivery /.test(sql)) queued += changed;
        return changed;
      };
      const sql = {
        dialect: tx.sql.dialect,
        all: tx.sql.all.bind(tx.sql),
        get: tx.sql.get.bind(tx.sql),
        run,
      };
      const value = await work({ ...tx, sql });
      if (queued > 0) pieces.push(queued);
      return value;
    }, options),
  );
  const path = `/v1/messages/${decisionId}/outcomes`;
  expect((await service.fetch(path, { body: { type: 'clicked' } })).status).toBe(202);
  const queued = () =>
    store.read((tx) => tx.sql.get<{ n: number }>('SELECT count(DISTINCT webhook_id) AS n FROM delivery'));
  await expect.poll(async () => Number((await queued())!.n)).toBe(1000);
  expect(pieces.reduce((sum, piece) => sum + piece, 0)).toBe(1000);
  expect(Math.max(...pieces)).toBeLessThanOrEqual(100);
});

it('limits the length of a locale', async () => {
  const service = await startTestService();
  const locale = `en-${'abcdefgh-'.repeat(100)}a`;
  const refused = await json(
    await service.fetch('/v1/users', { body: { users: [{ userId: 'u', locale }] } }),
  );
  expect(refused).toMatchObject({ status: 400, body: { details: [{ index: 0, field: 'locale' }] } });
  const hashId = await known(service, { userId: 'u', locale: 'en-GB' });
  await decide(service, hashId);
  const { body } = await json(await service.fetch('/v1/decisions'));
  expect(body.decisions.at(-1).context).toEqual({ locale: 'en-GB' });
});
