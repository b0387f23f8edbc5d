import { expect, test } from 'vitest';
import { definitions } from '../../../../src/service/decisions/goals/store/definitions.ts';
import { content } from '../../../support/process/decisions-service.ts';
import {
  json,
  knownUser,
  receiver,
  start,
  subscribe,
  tap,
  until,
} from '../../../support/process/webhooks-service.ts';

const GOAL = { goalId: 'order', event: 'order_completed', within: '7d' };

test('a conversion is delivered once to those who subscribe to it by name, and not for events of the past', async () => {
  const service = await start();
  const [named, taps] = [await receiver(), await receiver()];
  await subscribe(service, named.url, { events: ['decision.converted'] });
  await subscribe(service, taps.url);
  const put = (goals: object[]) =>
    json(
      service.fetch('/v1/catalog', { method: 'PUT', body: { catalog: { contents: [content('a')], goals } } }),
      200,
    );
  const negative = { event: 'order_refunded', match: 'orderId' };
  await put([{ ...GOAL, negative }]);
  // Events that arrived before the worker knew of the goal are of the past.
  await until(async () => {
    const known = await service.platform.store.read((tx) => definitions.all(tx, service.workspace));
    return known.length === 1;
  });
  const hashId = await knownUser(service);
  const decisionId = await tap(service, hashId);
  const track = (event: string, orderId: string) =>
    json(
      service.fetch('/v1/events', {
        body: {
          events: [
            {
              userId: 'u1',
              event,
              timestamp: new Date(Date.now() + 50).toISOString(),
              properties: { orderId },
            },
          ],
        },
      }),
      202,
    );
  const bodies = () => named.received.map(({ body }) => JSON.parse(body.toString()));
  await track('order_completed', 'A');
  await named.waitFor(1);
  expect(bodies()).toMatchObject([
    { type: 'decision.converted', decisionId, contentId: 'a', hashId, goalId: 'order', value: 1 },
  ]);
  // The second order adds nothing; after the refund of both, the third one converts again.
  await track('order_completed', 'B');
  await track('order_refunded', 'A');
  await track('order_refunded', 'B');
  await until(async () => {
    const decision = await json(service.fetch(`/v1/decisions/${decisionId}`), 200);
    return decision.goals === undefined;
  });
  await track('order_completed', 'C');
  await named.waitFor(2);
  await json(
    service.fetch(`/v1/decisions/${decisionId}/reward`, { body: { value: 0.5, goalId: 'order' } }),
    200,
  );
  // A changed goal is counted over the same events.
  await put([
    { ...GOAL, negative, within: '6d' },
    { ...GOAL, goalId: 'reported', event: 'never' },
  ]);
  // Nodes use a new catalog within a second.
  await until(async () => {
    const body = { value: 0.5, goalId: 'reported' };
    return (await service.fetch(`/v1/decisions/${decisionId}/reward`, { body })).status === 200;
  });
  await named.waitFor(3);
  await until(() => service.idle());
  expect(bodies().slice(2)).toMatchObject([{ goalId: 'reported', value: 0.5 }]);
  expect(taps.received.map(({ body }) => JSON.parse(body.toString()).type)).toEqual(['campaign.clicked']);
});
