import { expect, it } from 'vitest';
import type { Log } from '../../../src/service/platform/log.ts';
import { queueDeliveries } from '../../../src/service/webhooks/store/delivery-rows.ts';
import { startTestService } from '../../support/process/service.ts';
import { json, receiver, subscribe, until } from '../../support/process/webhooks-service.ts';

const MANY = 600;

/** A receiver that changes its answer, and a service in which many deliveries to it failed, which are sent again. */
async function manyAgain(answerOf: (nth: number) => number) {
  const warnings: string[] = [];
  const log: Log = (level, message) => {
    if (level === 'warn') warnings.push(message);
  };
  const service = await startTestService({ allowLoopbackWebhooks: true, log });
  const seen = { open: 0, mostOpen: 0, answers: [] as number[] };
  const target = await receiver((response) => {
    seen.mostOpen = Math.max(seen.mostOpen, ++seen.open);
    const status = answerOf(seen.answers.length);
    seen.answers.push(status);
    setTimeout(() => {
      seen.open--;
      response.writeHead(status).end();
    }, 5);
  });
  const { id } = await subscribe(service, target.url);
  const { store } = service.platform;
  for (let i = 0; i < MANY; i += 200)
    await store.write(async (tx) => {
      const occurredAt = tx.now - 1000;
      const about = { kind: 'campaign.clicked' as const, contentId: 'c', hashId: 'a'.repeat(64), occurredAt };
      const queued = Array.from({ length: 200 }, (_, j) => ({
        webhookId: id as string,
        occurrence: { id: `out_${i + j}`, decisionId: `dec_${i + j}`, ...about },
      }));
      await queueDeliveries(tx, service.workspace, queued);
      await tx.sql.run("UPDATE delivery SET status = 'failed', due_at = NULL WHERE workspace_id = ?", [
        service.workspace,
      ]);
    });
  const body = { since: '2020-01-01T00:00:00Z' };
  await json(service.fetch(`/v1/webhooks/${id}/redelivery`, { body }), 202);
  const counts = async () => {
    const rows = await store.read((tx) =>
      tx.sql.all<{ status: string; n: number }>(
        `SELECT CASE WHEN claimed > 0 THEN 'claimed' ELSE status END AS status, count(*) AS n FROM delivery
         WHERE workspace_id = ? GROUP BY 1`,
        [service.workspace],
      ),
    );
    return Object.fromEntries(rows.map(({ status, n }) => [status, Number(n)])) as Record<string, number>;
  };
  return { service, id, target, seen, warnings, counts };
}

it('sends many again, each once, and at most 32 at a time', async () => {
  const { seen, target, counts } = await manyAgain(() => 204);
  await until(async () => (await counts()).delivered === MANY);
  expect(seen.mostOpen).toBeLessThanOrEqual(32);
  expect(seen.answers.length).toBe(MANY);
  expect(new Set(target.received.map(({ headers }) => headers['webhook-id'])).size).toBe(MANY);
});

it('sends no more to a receiver that is gone than were being sent, and says so once', async () => {
  const { seen, service, id, warnings, counts } = await manyAgain((nth) => (nth < 300 ? 204 : 410));
  const get = () => json(service.fetch(`/v1/webhooks/${id}`), 200);
  await until(async () => (await get()).status === 'disabled');
  await until(async () => !('claimed' in (await counts())));
  const gone = seen.answers.filter((status) => status === 410).length;
  expect(gone).toBeLessThanOrEqual(32);
  expect(await counts()).toMatchObject({ delivered: 300, failed: expect.any(Number) });
  expect(seen.mostOpen).toBeLessThanOrEqual(32);
  expect(warnings.filter((message) => message === 'a subscription was disabled')).toEqual([
    'a subscription was disabled',
  ]);
});
