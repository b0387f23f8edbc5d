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
