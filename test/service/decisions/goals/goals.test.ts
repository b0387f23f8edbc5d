import { describe, expect, test } from 'vitest';
import type { AnswerOf } from '../../../../src/contract/endpoints.ts';
import { rewards } from '../../../../src/service/decisions/store/rewards.ts';
import { type RawService, wallClock } from '../../../support/peers/raw-service.ts';
import {
  content,
  decide,
  identify,
  open,
  outcome,
  waiting,
} from '../../../support/process/decisions-service.ts';

const order = { goalId: 'order', event: 'order_completed', within: '7d' };

const put = async (service: RawService, goals: object[], settings: object = {}) => {
  const catalog = { contents: [content('a')], goals, settings };
  const { status, body } = await service.send('PUT', '/v1/catalog', { catalog });
  expect(status, JSON.stringify(body)).toBe(200);
};
const track = (
  service: RawService,
  event: string,
  timestamp: string,
  properties: object = {},
  userId = 'u',
) => service.send('POST', '/v1/events', { events: [{ userId, event, timestamp, properties }] });
const logged = async (service: RawService, id: string) =>
  (await service.send<AnswerOf<'getDecision'>>('GET', `/v1/decisions/${id}`)).body;
/** The reward of a decision and what it earned of each goal, once all is counted. */
const earned = async (service: RawService, id: string) => {
  await expect.poll(() => service.idle(), { interval: 20 }).toBe(true);
  const { reward, goals } = await logged(service, id);
  return { reward, goals };
};

describe('goals', () => {
  test('a goal may count what servers or apps send', async () => {
    const clock = wallClock('2026-05-01T10:00:00Z');
    const service = await open({ clock });
    const appOrder = { ...order, goalId: 'app-order', where: 'origin:client' };
    await put(service, [{ ...order, where: 'origin:server' }, appOrder]);
    const hashId = await identify(service, { userId: 'u' });
    const { decisionId } = (await decide(service, hashId)).body;
    clock.set('2026-05-01T12:00:00Z');
    await track(service, 'order_completed', '2026-05-01T11:00:00Z');
    await expect.poll(async () => (await earned(service, decisionId)).goals).toEqual({ order: 1 });
  });

  test('an event after a decision earns what its value says, and a refund takes it back after the window', async () => {
    const clock = wallClock('2026-05-01T10:00:00Z');
    const service = await open({ clock });
    const negative = { event: 'order_refunded', match: 'orderId' };
    const value = { property: 'amount', to: 200 };
    await put(service, [{ ...order, value, negative, where: 'currency:EUR' }], { reward: { goal: 'order' } });
    const hashId = await identify(service, { userId: 'u' });
    const { decisionId } = (await decide(service, hashId)).body;
    clock.set('2026-05-01T12:00:00Z');
    await track(service, 'order_completed', '2026-05-01T11:00:00Z', {
      amount: 50,
      currency: 'EUR',
      orderId: 'A1',
    });
    await track(service, 'order_completed', '2026-05-01T11:10:00Z', {
      amount: 90,
      currency: 'USD',
      orderId: 'A2',
    });
    await expect.poll(() => earned(service, decisionId)).toEqual({ reward: 0.25, goals: { order: 0.25 } });
    await track(service, 'order_completed', '2026-05-01T11:30:00Z', {
      amount: 900,
      currency: 'EUR',
      orderId: 'A3',
    });
    await expect.poll(() => earned(service, decisionId)).toEqual({ reward: 1, goals: { order: 1 } });
    clock.set('2026-05-20T12:00:00Z');
    await track(service, 'order_refunded', '2026-05-20T11:00:00Z', { orderId: 'A3' });
    await expect.poll(() => earned(service, decisionId)).toEqual({ reward: 0.25, goals: { order: 0.25 } });
    // Before the decision, after its window, and of another user.
    await track(service, 'order_completed', '2026-05-01T09:59:00Z', { amount: 50, currency: 'EUR' });
    await track(service, 'order_completed', '2026-05-08T10:09:00Z', { amount: 50, currency: 'EUR' });
    await track(service, 'order_completed', '2026-05-01T11:00:00Z', { amount: 50, currency: 'EUR' }, 'v');
    await expect.poll(() => earned(service, decisionId)).toEqual({ reward: 0.25, goals: { order: 0.25 } });
  });

  test('the reward log says which part of a sum earned, for what is new', async () => {
    const clock = wallClock('2026-05-01T10:00:00Z');
    const service = await open({ clock });
    await put(service, [order], { reward: { goals: { order: 0.75 }, outcomes: 0.25 } });
    const hashId = await identify(service, { userId: 'u' });
    const log = async () =>
      (await service.platform.store.read((tx) => rewards.after(tx, service.workspace, 0, 10))).rows;
    // What comes before the first entry is in it.
    const logged = (entries: number) => expect.poll(async () => (await log()).length).toBe(entries);
    const { decisionId } = (await decide(service, hashId)).body;
    await logged(1);
    await outcome(service, decisionId, 'actioned');
    await logged(2);
    await track(service, 'order_completed', '2026-05-01T10:30:00Z');
    await expect.poll(() => earned(service, decisionId)).toEqual({ reward: 1, goals: { order: 1 } });
    // Another catalog changes what decisions earned, and says nothing of how long responses take.
    await put(service, [order], { reward: { goal: 'order' } });
    await put(service, [order], { reward: { goals: { order: 0.5 } } });
    await expect.poll(() => earned(service, decisionId)).toMatchObject({ reward: 0.5 });
    const [first, ...others] = await log();
    // Whether the goal was known to the writer of this entry by then or not, no part of the reward changed.
    expect(first).toMatchObject({ from: null, to: 0 });
    expect(others.map(({ from, to, parts }) => [from, to, parts])).toEqual([
      [0, 0.25, [{ part: '', from: 0, to: 0.25 }]],
      [0.25, 1, [{ part: 'order', from: 0, to: 0.75 }]],
      [1, 0.5, []],
    ]);
  });

  test('a goal that is defined later counts the events that are stored, and the rewards follow the catalog', async () => {
    const clock = wallClock('2026-05-01T10:00:00Z');
    const service = await open({ clock });
    const hashId = await identify(service, { userId: 'u' });
    const first = (await decide(service, hashId)).body.decisionId;
    clock.set('2026-05-01T10:10:00Z');
    const second = (await decide(service, hashId)).body.decisionId;
    await outcome(service, first, 'clicked');
    await track(service, 'order_completed', '2026-05-01T10:05:00Z');
    await track(service, 'order_completed', '2026-05-01T10:20:00Z');
    await track(service, 'order_completed', '2026-05-01T10:30:00Z', { amount: 1 });
    await expect.poll(() => earned(service, first)).toEqual({ reward: 0.6, goals: undefined });
    await put(service, [
      { ...order, value: { property: 'amount', to: 2 } },
      { ...order, goalId: 'any' },
    ]);
    await expect.poll(() => earned(service, first)).toEqual({ reward: 0.6, goals: { any: 1 } });
    await expect.poll(() => earned(service, second)).toEqual({ reward: 0, goals: { order: 0.5, any: 1 } });
    await put(service, [{ ...order, attribute: 'each' }], {
      reward: { goals: { order: 0.5 }, outcomes: 0.5 },
    });
    await expect.poll(() => earned(service, first)).toEqual({ reward: 0.8, goals: { order: 1 } });
    await expect.poll(() => earned(service, second)).toEqual({ reward: 0.5, goals: { order: 1 } });
    await put(service, []);
    await expect.poll(() => earned(service, first)).toEqual({ reward: 0.6, goals: undefined });
  });

  test('what waits for an app earns from when it is served or clicked, and nothing if it is withdrawn', async () => {
    const clock = wallClock('2026-05-01T10:00:00Z');
    const service = await open({ clock });
    const goals = [order, { ...order, goalId: 'after-click', after: 'clicked' }];
    await put(service, goals, { reward: { goal: 'order' }, messageDays: 1 });
    const hashId = await identify(service, { userId: 'u' });
    await waiting(service, hashId);
    const { decisionId } = (await decide(service, hashId)).body;
    // The clock of the app is ahead: the event arrives before the message is served.
    await track(service, 'order_completed', '2026-05-01T10:30:00Z');
    await expect.poll(() => earned(service, decisionId)).toEqual({ reward: null, goals: undefined });
    clock.set('2026-05-01T10:20:00Z');
    await waiting(service, hashId);
    await expect.poll(() => earned(service, decisionId)).toEqual({ reward: 1, goals: { order: 1 } });
    await outcome(service, decisionId, 'clicked');
    await expect
      .poll(() => earned(service, decisionId))
      .toEqual({ reward: 1, goals: { order: 1, 'after-click': 1 } });
    const withdrawn = (await decide(service, hashId)).body.decisionId;
    await put(
      service,
      goals.map((goal) => ({ ...goal, within: '2d' })),
      { reward: { goal: 'order' } },
    );
    clock.set('2026-05-02T10:20:00Z');
    await waiting(service, hashId);
    await track(service, 'order_completed', '2026-05-02T10:00:00Z');
    await expect.poll(() => earned(service, withdrawn)).toEqual({ reward: null, goals: undefined });
  });

  test('a reward that is reported counts once per decision and goal, and replaces the one before', async () => {
    const clock = wallClock('2026-05-01T10:00:00Z');
    const service = await open({ clock });
    await put(service, [{ ...order, value: { property: 'amount', to: 200 } }], { reward: { goal: 'order' } });
    const hashId = await identify(service, { userId: 'u' });
    const { decisionId } = (await decide(service, hashId)).body;
    const reward = (body: object, id = decisionId) =>
      service.send<AnswerOf<'rewardDecision'>>('POST', `/v1/decisions/${id}/reward`, body);
    await track(service, 'order_completed', '2026-05-01T10:30:00Z', { amount: 50 });
    await expect.poll(() => earned(service, decisionId)).toEqual({ reward: 0.25, goals: { order: 0.25 } });
    for (const value of [0.5, 0.5, 0.125])
      expect((await reward({ value, goalId: 'order' })).body).toMatchObject({ reward: 0.25 + value });
    await expect.poll(() => earned(service, decisionId)).toEqual({ reward: 0.375, goals: { order: 0.375 } });
    expect((await reward({ value: 0.0625 })).body).toMatchObject({ reward: 0.0625 });
    await track(service, 'order_completed', '2026-05-01T10:40:00Z', { amount: 50 });
    await expect.poll(() => earned(service, decisionId)).toEqual({ reward: 0.0625, goals: { order: 0.625 } });
    expect((await reward({ value: 1.5 })).status).toBe(400);
    expect((await reward({ value: 1, goalId: 'none' })).text).toContain('is not a goal of the catalog');
    expect((await reward({ value: 1 }, 'dec_none')).status).toBe(404);
  });
});
