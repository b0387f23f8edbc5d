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

it('sends what a disabled subscription missed if it is asked for, and says how much that is', async () => {
  const service = await start();
  const target = await receiver();
  const { id } = await subscribe(service, target.url);
  const path = `/v1/webhooks/${id}`;
  const patch = (body: unknown, status = 200) => json(service.fetch(path, { method: 'PATCH', body }), status);
  const hashId = await knownUser(service);
  expect(await patch({ status: 'active', from: 'disabled' })).toMatchObject({ missed: { outcomes: 0 } });
  expect((await json(service.fetch(path), 200)).missed).toBeUndefined();

  const { disabledAt } = await patch({ status: 'disabled' });
  const missed = [await tap(service, hashId), await tap(service, hashId)];
  expect((await json(service.fetch(path), 200)).missed).toEqual({ from: disabledAt, outcomes: 2, erased: 0 });
  expect(await json(service.fetch(`${path}?from=2020-01-01T00:00:00Z`), 200)).toMatchObject({
    missed: { from: '2020-01-01T00:00:00.000Z', outcomes: 2, removedBefore: expect.stringMatching(/Z$/) },
  });
  for (const from of ['yesterday', 5]) await patch({ status: 'active', from }, 400);
  await patch({ from: 'disabled' }, 409);

  await patch({ status: 'active' });
  const after = await tap(service, hashId);
  await until(async () => target.received.length === 1);
  const caught = await patch({ status: 'active', from: 'disabled' });
  expect(caught).toMatchObject({ status: 'active', missed: { outcomes: 3 }, catchingUp: { queued: 0 } });
  await until(async () => target.received.length === 3);
  const bodies = target.received.map(({ body }) => JSON.parse(body.toString()).decisionId);
  expect(bodies[0]).toBe(after);
  expect(bodies.slice(1).sort()).toEqual(missed.sort());
  expect((await json(service.fetch(path), 200)).catchingUp).toMatchObject({ queued: 2 });
});
