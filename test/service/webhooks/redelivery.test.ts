import { expect, it } from 'vitest';
import {
  json,
  knownUser,
  receiver,
  start,
  subscribe,
  tap,
  until,
} from '../../support/process/webhooks-service.ts';

/** A service with a subscription that has delivered `clicked` and one `opened`, of which all are marked as failed. */
async function failedDeliveries(clicked: number) {
  const service = await start();
  const target = await receiver();
  const { id } = await subscribe(service, target.url);
  const hashId = await knownUser(service);
  for (let i = 0; i < clicked; i++) await tap(service, hashId);
  await tap(service, hashId, 'opened');
  const path = `/v1/webhooks/${id}`;
  const get = async (status?: string) => {
    const query = status === undefined ? '' : `?status=${status}`;
    return (await json(service.fetch(`${path}/deliveries${query}`), 200)).deliveries as {
      deliveryId: string;
      attempts: unknown[];
    }[];
  };
  await until(async () => (await get('delivered')).length === clicked + 1);
  const { store } = service.platform;
  await store.write((tx) =>
    tx.sql.run("UPDATE delivery SET status = 'failed' WHERE workspace_id = ?", [service.workspace]),
  );
  const again = (body: object, status = 202) =>
    json(service.fetch(`${path}/redelivery`, { body: { since: '2020-01-01T00:00:00Z', ...body } }), status);
  const redelivery = async () => (await json(service.fetch(path), 200)).redelivery;
  return { service, target, path, get, again, redelivery };
}

it('sends the failed deliveries of a kind again, once, in order and under the same identifiers', async () => {
  const { target, get, again, redelivery, service, path } = await failedDeliveries(3);
  const first = target.received.map(({ body }) => body.toString());
  expect(await redelivery()).toBeUndefined();
  expect(await again({ dryRun: true })).toMatchObject({
    matched: 4,
    removedBefore: expect.stringMatching(/Z$/),
  });
  expect(target.received.length).toBe(4);
  const answer = await again({ events: ['campaign.clicked'] });
  expect(answer).toMatchObject({ matched: 3, redelivery: { queued: 0, endedAt: null } });
  await until(async () => (await redelivery()).endedAt !== null);
  await until(async () => (await get('delivered')).length === 3);
  expect(await redelivery()).toMatchObject({ queued: 3, matched: 3, status: 'failed' });
  const clicked = first.filter((body) => body.includes('campaign.clicked'));
  const bodies = target.received.slice(4).map(({ body }) => body.toString());
  expect(bodies.sort()).toEqual(clicked.sort());
  expect((await get('failed')).length).toBe(1);

  // Also what was delivered, and once more from the beginning.
  expect(await again({ status: 'all' })).toMatchObject({ matched: 4 });
  await until(async () => (await get('delivered')).length === 4 && target.received.length === 11);
  expect(new Set(target.received.map(({ headers }) => headers['webhook-id'])).size).toBe(4);

  await json(service.fetch(path, { method: 'PATCH', body: { status: 'disabled' } }), 200);
  await again({ status: 'all' }, 409);
  for (const bad of [{ since: 'x' }, { rate: 0 }, { status: 'pending' }, { events: [] }])
    await again(bad, 400);
});

it('tries again at once what was asked for while an attempt was under way that fails', async () => {
  const service = await start();
  const held: (() => void)[] = [];
  const target = await receiver((response) => {
    if (target.received.length > 2) response.writeHead(204).end();
    else held.push(() => void response.writeHead(500, { 'retry-after': '3600' }).end());
  });
  const { id } = await subscribe(service, target.url);
  await tap(service, await knownUser(service));
  const path = `/v1/webhooks/${id}`;
  const [first] = await target.waitFor(1);
  await json(
    service.fetch(`${path}/deliveries/${first!.headers['webhook-id']}/redeliver`, { method: 'POST' }),
    202,
  );
  held[0]!();
  await target.waitFor(2);
  const body = { since: '2020-01-01T00:00:00Z', status: 'undelivered' };
  await json(service.fetch(`${path}/redelivery`, { body }), 202);
  await until(async () => (await json(service.fetch(path), 200)).redelivery.endedAt !== null);
  held[1]!();
  // Otherwise the next attempt comes an hour later.
  const delivered = await until(async () => {
    const { deliveries } = await json(service.fetch(`${path}/deliveries?status=delivered`), 200);
    return deliveries[0];
  });
  expect(delivered.attempts.map(({ status }: { status: number }) => status)).toEqual([500, 500, 204]);
});

it('keeps to a rate, runs one at a time, and can be stopped', async () => {
  const { target, again, redelivery, service, path } = await failedDeliveries(2);
  await again({ rate: 1 });
  await again({ rate: 1 }, 409);
  await until(async () => (await redelivery()).queued === 1);
  expect((await redelivery()).endedAt).toBeNull();
  const stopped = await json(service.fetch(`${path}/redelivery`, { method: 'DELETE' }), 200);
  expect(stopped).toMatchObject({ matched: 3, endedAt: expect.stringMatching(/Z$/) });
  await json(service.fetch(`${path}/redelivery`, { method: 'DELETE' }), 404);
  await again({});
  await until(async () => target.received.length === 6);
});

it('sends at once what waits for a later attempt, with what was given up, and nothing that is sent anyway', async () => {
  const { target, get, again, redelivery, service } = await failedDeliveries(3);
  const ids = (await get('failed')).map(({ deliveryId }) => deliveryId);
  const { store, clock } = service.platform;
  const set = (id: string, columns: string) =>
    store.write((tx) =>
      tx.sql.run(`UPDATE delivery SET ${columns} WHERE workspace_id = ? AND delivery_id = ?`, [
        service.workspace,
        id,
      ]),
    );
  const later = clock.now() + 3_600_000;
  await set(ids[0]!, `status = 'pending', attempts = 2, first_attempt_at = 1, due_at = ${later}`);
  await set(ids[1]!, `status = 'pending', claimed = 1, due_at = ${later}`);
  await set(ids[2]!, "status = 'delivered'");
  expect(await again({ dryRun: true })).toMatchObject({ matched: 1 });
  expect(await again({ dryRun: true, status: 'all' })).toMatchObject({ matched: 3 });
  expect(await again({ status: 'undelivered' })).toMatchObject({ matched: 2 });
  await until(async () => (await get('delivered')).length === 3);
  expect(await redelivery()).toMatchObject({ queued: 2, status: 'undelivered' });
  expect(target.received.slice(4).map(({ headers }) => headers['webhook-id'])).toHaveLength(2);
  const row = await store.read((tx) =>
    tx.sql.get<{ attempts: number }>(
      'SELECT attempts FROM delivery WHERE workspace_id = ? AND delivery_id = ?',
      [service.workspace, ids[0]!],
    ),
  );
  expect(row?.attempts).toBe(3);
});
