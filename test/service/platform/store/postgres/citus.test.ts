import { describe, expect, onTestFinished, test } from 'vitest';
import { createWorkspace } from '../../../../../src/service/admin/accounts.ts';
import { GLOBAL_TABLES } from '../../../../../src/service/platform/store/global-tables.ts';
import { startReceiver } from '../../../../support/peers/receiver.ts';
import { atWorker, coordinator, onDatabase } from '../../../../support/postgres/citus.ts';
import { workerOf } from '../../../../support/postgres/distributed-fleet.ts';
import { killServer, silenceServer } from '../../../../support/postgres/worker-process.ts';
import { startTestService } from '../../../../support/process/service.ts';

if (!coordinator)
  console.warn(
    'SKIPPED: SVC_TEST_CITUS_URL names no coordinator, so nothing is tested on a distributed database',
  );

describe.skipIf(!coordinator)('a distributed database', () => {
  test('has the tables of workspaces on its workers, side by side, and the others on the coordinator', async () => {
    const { database } = await startTestService();
    const { rows } = await onDatabase(database, (query) =>
      query(`SELECT c.relname AS name, p.partmethod AS method, p.colocationid AS beside
        FROM pg_class c LEFT JOIN pg_dist_partition p ON p.logicalrelid = c.oid
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
          AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')`),
    );
    const named = (of: (row: (typeof rows)[0]) => boolean) =>
      rows.filter(of).map(({ name }) => name as string);
    const distributed = rows.filter(({ method }) => method === 'h');
    expect(distributed.length).toBeGreaterThan(30);
    expect(new Set(distributed.map(({ beside }) => beside)).size).toBe(1);
    expect(named(({ method }) => method === 'n')).toEqual(['limiter_time']);
    const local = named(({ method }) => method === null);
    expect(local.filter((name) => !GLOBAL_TABLES.includes(name))).toEqual(['catalog_version']);
  });

  test('with a test clock, transactions that are not durable at once write on every worker', async () => {
    const { database, platform } = await startTestService({ testClock: true });
    const written = new Set<number>();
    while (written.size < 3) {
      const { workspace } = await createWorkspace(platform.store, undefined, 'test');
      for (const pipelinedBegin of [false, true])
        await platform.store.write(
          (tx) => tx.sql.run('DELETE FROM due WHERE workspace_id = ?', [workspace]),
          {
            ...{ durable: false, pipelinedBegin },
          },
        );
      written.add((await workerOf(database, workspace)).port);
    }
  });

  test.each([
    ['loses a worker', killServer],
    ['has a silent worker', silenceServer],
  ])('that %s answers 503 for its workspaces alone, and delivers for the others', async (_, harm) => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const service = await startTestService({ allowLoopbackWebhooks: true });
    const { store } = service.platform;
    const lost = await workerOf(service.database, service.workspace);
    let other = await createWorkspace(store, undefined, 'test');
    while ((await workerOf(service.database, other.workspace)).port === lost.port)
      other = await createWorkspace(store, undefined, 'test');
    const asOther = { authorization: `Bearer ${other.key}`, 'x-service-workspace': other.workspace };
    const decide = async (headers: Record<string, string> = {}) => {
      const answer = await service.fetch('/v1/decisioning/decide', { body: { hashId: 'u' }, headers });
      return { status: answer.status, body: (await answer.json()) as { decisionId: string } };
    };
    const subscription = {
      url: receiver.url,
      events: ['campaign.clicked'],
      signingSecret: 'the secret of a test',
    };
    await service.fetch('/v1/webhooks', { body: subscription, headers: asOther });
    expect((await decide()).status).toBe(200);
    const restore = await harm(atWorker(service.database, lost));
    try {
      expect((await decide()).status).toBe(503);
      await expect
        .poll(async () => (await fetch(`${service.url}/readyz`)).text())
        .toMatch(/^ready: \d+ of \d+ workspaces are out\n$/);
      expect((await decide()).status).toBe(503);
      const { status, body } = await decide(asOther);
      expect(status).toBe(200);
      const tap = { body: { type: 'clicked' }, headers: asOther };
      expect((await service.fetch(`/v1/messages/${body.decisionId}/outcomes`, tap)).status).toBeLessThan(300);
      await receiver.waitFor(1);
    } finally {
      await restore();
    }
    await expect.poll(async () => (await fetch(`${service.url}/readyz`)).text()).toBe('ready\n');
    expect((await decide()).status).toBe(200);
  });
});
