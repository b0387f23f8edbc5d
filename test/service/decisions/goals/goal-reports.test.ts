import { expect, test } from 'vitest';
import type { AnswerOf } from '../../../../src/contract/endpoints.ts';
import { removals } from '../../../../src/service/platform/store/retention/removals.ts';
import { type RawService, wallClock } from '../../../support/peers/raw-service.ts';
import { content, decide, identify, open } from '../../../support/process/decisions-service.ts';

const order = { goalId: 'order', event: 'order_completed', within: '7d' };

const put = (service: RawService, goals: object[], settings: object = {}) =>
  service.send('PUT', '/v1/catalog', { catalog: { contents: [content('a')], goals, settings } });
const track = (service: RawService, userId: string, properties: object, timestamp = '2026-05-01T10:30:00Z') =>
  service.send('POST', '/v1/events', {
    events: [{ userId, event: 'order_completed', timestamp, properties }],
  });
const quiet = (service: RawService) => expect.poll(() => service.idle(), { interval: 20 }).toBe(true);
const model = async (service: RawService) =>
  (await service.send<AnswerOf<'getModel'>>('GET', '/v1/model')).body;
const contents = async (service: RawService) =>
  (await service.send<AnswerOf<'listContents'>>('GET', '/v1/contents')).body.items;

test('reports say what contents earned of each goal, what learning gains, and what was not read', async () => {
  const clock = wallClock('2026-05-01T10:00:00Z');
  const service = await open({ clock });
  const value = { property: 'amount', to: 200 };
  await put(service, [order, { ...order, goalId: 'amount', value }], { holdout: 0.5 });
  const decided: string[] = [];
  for (let i = 0; i < 12; i++) {
    const hashId = await identify(service, { userId: `u${i}` });
    decided.push((await decide(service, hashId)).body.decisionId);
  }
  clock.set('2026-05-01T11:00:00Z');
  for (let i = 0; i < 6; i++) await track(service, `u${i}`, { amount: 50 });
  await track(service, 'u6', { amount: 500 });
  await track(service, 'u7', { amount: 'much' });
  await quiet(service);
  const [a] = await contents(service);
  expect(a).toMatchObject({
    served: 12,
    goals: [
      { goalId: 'order', served: 12, conversions: 8, value: 8 / 12 },
      { goalId: 'amount', served: 12, conversions: 7, value: (6 * 0.25 + 1) / 12 },
    ],
  });
  for (const { value, low, high } of a!.goals!) {
    expect(low).toBeGreaterThan(0);
    expect(low).toBeLessThan(value!);
    expect(high).toBeGreaterThan(value!);
  }
  // An order of any amount says less of whether there are orders than of how large they are.
  const [orders, amounts] = a!.goals!;
  expect(amounts!.high! - amounts!.low!).toBeLessThan(orders!.high! - orders!.low!);
  const { goals } = await model(service);
  expect(goals).toMatchObject([
    { goalId: 'order', progress: 1, behind: 0, events: 8, clipped: 0, unreadable: 0, since: null },
    { goalId: 'amount', progress: 1, behind: 0, events: 7, clipped: 1, unreadable: 1, since: null },
  ]);
  const { learned, holdout, weights } = goals[0]!.byPolicy;
  expect(learned.served + holdout.served).toBe(12);
  expect(learned.conversions + holdout.conversions).toBe(8);
  expect(holdout.served).toBeGreaterThan(0);
  expect(weights).toEqual({ served: 0, conversions: 0, value: null, low: null, high: null });
  expect(goals[0]!.gain!.gain).toBeCloseTo(learned.value! - holdout.value!, 9);
  // Twelve decisions prove nothing.
  expect(goals[0]!.gain!.low).toBeLessThan(0);
  expect(goals[0]!.gain!.high).toBeGreaterThan(0);

  // A reward that is reported for a goal is one of it.
  await service.send('POST', `/v1/decisions/${decided[10]}/reward`, { value: 0.5, goalId: 'amount' });
  await service.send('POST', `/v1/decisions/${decided[10]}/reward`, { value: 1, goalId: 'amount' });
  await service.send('POST', `/v1/decisions/${decided[0]}/reward`, { value: 1, goalId: 'amount' });
  await quiet(service);
  const [after] = await contents(service);
  expect(after!.goals![1]).toMatchObject({ conversions: 8, value: (5 * 0.25 + 3) / 12 });
});

test('charts say what contents earned of each goal over time, as the reports do in all', async () => {
  const clock = wallClock('2026-05-01T10:00:00Z');
  const service = await open({ clock });
  await put(service, [order, { ...order, goalId: 'amount', value: { property: 'amount', to: 200 } }], {
    holdout: 0.5,
  });
  const live = async (users: string, at: string, orders: number) => {
    clock.set(`2026-05-01T${at}:00Z`);
    for (let i = 0; i < 6; i++) await decide(service, await identify(service, { userId: `${users}${i}` }));
    // An order counts in the hour of its decision.
    clock.set('2026-05-01T14:00:00Z');
    for (let i = 0; i < orders; i++)
      await track(service, `${users}${i}`, { amount: 50 }, '2026-05-01T13:30:00Z');
    await quiet(service);
  };
  const trendOf = async (path = '') =>
    (await service.send<AnswerOf<'getDecisionTrend'>>('GET', `/v1/trends/decisions${path}`)).body;
  const trend = async (path = '') => (await trendOf(path)).contents;
  await live('early', '10:10', 1);
  await live('late', '12:10', 4);
  await expect.poll(async () => (await trend())[0]?.total?.served).toBe(12);
  const [a] = await trend();
  expect(a!.goals).toMatchObject([{ goalId: 'order' }, { goalId: 'amount' }]);
  const [orders, amounts] = a!.goals!;
  expect(orders!.values).toMatchObject([
    { served: 6, value: 1 / 6 },
    { served: 6, value: 4 / 6 },
  ]);
  expect(amounts!.values.map(({ value }) => value)).toEqual([0.25 / 6, 1 / 6]);
  const [reported] = await contents(service);
  for (const [i, { total }] of a!.goals!.entries()) {
    const { served, value, low, high } = reported!.goals![i]!;
    expect(total).toMatchObject({ served, value });
    // Each user earned once, so these are the same as those of decisions.
    expect(total!.low).toBeCloseTo(low!, 9);
    expect(total!.high).toBeCloseTo(high!, 9);
  }
  // What learning gained is at last what the reports say in all.
  const { goals: gains } = await trendOf();
  const { body: model } = await service.send<AnswerOf<'getModel'>>('GET', '/v1/model');
  for (const [i, { goalId, byPolicy, gain }] of model.goals.entries()) {
    expect(gains![i]!.goalId).toBe(goalId);
    const last = gains![i]!.gain.at(-1)!;
    expect([last.learned, last.holdout]).toEqual([byPolicy.learned.served, byPolicy.holdout.served]);
    expect(last.gain).toBeCloseTo(gain!.gain, 9);
    expect(last.low).toBeLessThan(last.gain);
    expect(last.high).toBeGreaterThan(last.gain);
  }
  const [late] = await trend('?since=2026-05-01T11:30:00Z');
  expect(late!.goals![0]).toMatchObject({ total: { served: 6, value: 4 / 6 } });
  // By day alone, once hours are no longer kept.
  clock.set('2026-06-20T10:00:00Z');
  const [day] = await trend('?since=2026-04-20T00:00:00Z');
  expect(day!.goals![0]).toMatchObject({ total: { served: 12, value: 5 / 12 }, values: [{ served: 12 }] });
  await put(service, []);
  expect((await trend())[0]).toBeUndefined();
  expect((await trend('?since=2026-04-20T00:00:00Z'))[0]).not.toHaveProperty('goals');
  expect(await trendOf()).not.toHaveProperty('goals');
});

test('a goal that is defined after events were removed reports the decisions since then', async () => {
  const clock = wallClock('2026-05-01T10:00:00Z');
  const service = await open({ clock });
  await put(service, []);
  const hashId = await identify(service, { userId: 'u' });
  await decide(service, hashId);
  await quiet(service);
  clock.set('2026-05-10T10:00:00Z');
  const { store } = service.platform;
  await store.write(async (tx) => {
    const [{ id }] = (await tx.sql.all<{ id: string }>('SELECT workspace_id AS id FROM workspace')) as [
      { id: string },
    ];
    await removals.record(tx, id, 'events', { number: 1, before: Date.parse('2026-05-05T06:00:00Z') });
  });
  await decide(service, hashId);
  await quiet(service);
  await put(service, [order]);
  clock.set('2026-05-10T11:00:00Z');
  await track(service, 'u', {}, '2026-05-10T10:30:00Z');
  await quiet(service);
  const [a] = await contents(service);
  expect(a).toMatchObject({ served: 2, goals: [{ served: 1, conversions: 1, value: 1 }] });
  const { goals } = await model(service);
  expect(goals[0]!.since).toBe('2026-05-06T00:00:00.000Z');
  // Without goals there is nothing to report.
  await put(service, []);
  expect((await contents(service))[0]).not.toHaveProperty('goals');
  expect((await model(service)).goals).toEqual([]);
});

test('notices name what the latest events do not have of what goals count', async () => {
  const service = await open({ clock: wallClock('2026-05-01T12:00:00Z') });
  const validate = async (goals: object[]) => {
    const { body } = await service.send<AnswerOf<'validateCatalog'>>('POST', '/v1/catalog/validate', {
      catalog: { contents: [content('a')], goals },
    });
    expect(body).toMatchObject({ valid: true, issues: [] });
    return body.warnings!.map(({ path, message }) => `${path} ${message}`);
  };
  const misspelt = { ...order, event: 'order_complete' };
  // Nothing is known of a workspace without events.
  expect(await validate([misspelt])).toEqual([]);
  await track(service, 'u', { amount: 50, currency: 'EUR' });
  await track(service, 'u', { amount: '50' });
  expect(await validate([order])).toEqual([]);
  const goals = [
    misspelt,
    { ...order, goalId: 'b', where: 'currency:USD' },
    { ...order, goalId: 'c', value: { property: 'amount', to: 200 } },
    { ...order, goalId: 'd', negative: { event: 'zzz', match: 'orderId' } },
  ];
  const warnings = [
    'goals[0].event none of the latest 2 events is named order_complete; the nearest seen is order_completed',
    'goals[1].where matches none of the 2 latest events order_completed',
    'goals[2].value.property amount is missing or not a number in 1 of the 2 latest events order_completed: these do not count',
    'goals[3].negative.event none of the latest 2 events is named zzz',
  ];
  expect(await validate(goals)).toEqual(warnings);
  const put = await service.send<AnswerOf<'putCatalog'>>('PUT', '/v1/catalog', {
    catalog: { contents: [content('a')], goals },
  });
  expect(put.body.warnings!.map(({ path, message }) => `${path} ${message}`)).toEqual(warnings);
});
