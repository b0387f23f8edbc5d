import { expect, it } from 'vitest';
import type { AnswerOf } from '../../../src/contract/endpoints.ts';
import { HOUR_MS } from '../../../src/service/overview/store.ts';
import { EVENT_STEPS } from '../../../src/service/overview/trends/routes.ts';
import { stepsOf } from '../../../src/service/overview/trends/steps.ts';
import { performance } from '../../../src/service/webhooks/store/performance.ts';
import {
  catalogFile,
  content,
  decide,
  open,
  outcome,
  waiting,
} from '../../support/process/decisions-service.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';
import { advance, clockOf } from '../../support/process/test-clock.ts';

const read = async <T>(service: TestService, path: string): Promise<T> => {
  const answer = await service.fetch(path);
  expect(answer.status, await answer.clone().text()).toBe(200);
  return (await answer.json()) as T;
};
const sum = (counts: readonly number[]) => counts.reduce((total, n) => total + n, 0);
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.parse('2026-03-20T10:20:00Z');
const at = (ms: number) => new Date(ms).toISOString();

it.each([
  ['a day without a range', {}, HOUR_MS, '2026-03-19T10:00:00Z', 25],
  ['the last hour', { since: at(NOW - HOUR_MS) }, HOUR_MS, '2026-03-20T09:00:00Z', 2],
  ['a week', { since: at(NOW - 7 * DAY_MS) }, 3 * HOUR_MS, '2026-03-13T09:00:00Z', 57],
  [
    'a week that is long past',
    { since: at(NOW - 30 * DAY_MS), until: at(NOW - 23 * DAY_MS) },
    DAY_MS,
    '2026-02-18T00:00:00Z',
    8,
  ],
  ['years', { since: '2020-01-01T00:00:00Z' }, 7 * DAY_MS, '2025-01-30T00:00:00Z', 60],
  [
    'a range that ends before it begins',
    { since: at(NOW), until: at(NOW - DAY_MS) },
    HOUR_MS,
    '2026-03-19T10:00:00Z',
    1,
  ],
])('divides %s into steps', (_, range, stepMs, from, count) => {
  expect(stepsOf(range, NOW)).toMatchObject({ stepMs, count, from: Date.parse(from) });
});

const MINUTE_MS = 60_000;
it.each([
  ['the last hour', HOUR_MS, 2 * MINUTE_MS, 30],
  ['ten minutes', 10 * MINUTE_MS, 2 * MINUTE_MS, 5],
  ['six hours', 6 * HOUR_MS, 10 * MINUTE_MS, 36],
  ['a day', DAY_MS, HOUR_MS, 25],
])('divides %s into short steps where events are found by time', (_, ms, stepMs, count) => {
  expect(stepsOf({ since: at(NOW - ms) }, NOW, EVENT_STEPS)).toMatchObject({ stepMs, count });
});

it('has events by step, and those of the range alone', async () => {
  const service = await startTestService({ testClock: true });
  const send = (n: number) =>
    service.fetch('/v1/events', {
      body: {
        events: Array.from({ length: n }, () => ({
          userId: 'u',
          event: 'e',
          timestamp: '2026-01-01T00:00:00Z',
        })),
      },
    });
  await send(7);
  await advance(service, 3 * HOUR_MS);
  await send(2);
  const day = await read<AnswerOf<'getEventTrend'>>(service, '/v1/trends/events');
  expect(day.stored).toHaveLength(25);
  expect(day.stored.at(-1)).toBe(2);
  expect(day.stored.at(-4)).toBe(7);
  expect(sum(day.stored)).toBe(9);
  expect((await service.fetch('/v1/events', { body: { events: [{ userId: 'u' }] } })).status).toBe(400);
  expect((await service.fetch('/v1/events', { raw: 'no JSON' })).status).toBe(400);
  const refused = async () => (await read<AnswerOf<'getEventTrend'>>(service, '/v1/trends/events')).refused;
  await expect.poll(async () => (await refused()).at(-1)).toBe(2);
  expect(sum(await refused())).toBe(2);
  const since = at(Date.parse(day.until) - HOUR_MS);
  const hour = await read<AnswerOf<'getEventTrend'>>(service, `/v1/trends/events?since=${since}`);
  expect(hour.stepMs).toBe(120_000);
  expect(hour.stored.at(-1)).toBe(2);
  expect(sum(hour.stored)).toBe(2);
  // Refused ones are counted by the hour, and that of the range's beginning is one of two.
  expect(hour.refused).toEqual([0, 2]);
  expect(Date.parse(hour.refusedFrom) % HOUR_MS).toBe(0);
  expect(day.refusedFrom).toBe(day.from);
});

it('has what was served by content, apart what was tried and the holdout group, with rates and the gain', async () => {
  const first = await open();
  const contents = ['a', 'b', 'c'].map((id, i) => content(id, { prior: [0.6, 0.2, 0.05][i] }));
  const settings = { holdout: 0.3, explorationShare: 0.4, rewardWindowMinutes: 1 };
  const service = await first.restart({ catalog: catalogFile(first, contents, settings) });
  for (let user = 0; user < 40; user++) {
    const { body } = await decide(service, `h${user}`);
    await waiting(service, `h${user}`);
    if (user % 2 === 0) await outcome(service, body.decisionId, 'clicked');
  }
  const { decisions } = (await service.send<AnswerOf<'listDecisions'>>('GET', '/v1/decisions?limit=500'))
    .body;
  const trend = async () =>
    (await service.send<AnswerOf<'getDecisionTrend'>>('GET', '/v1/trends/decisions')).body;
  await expect
    .poll(async () => {
      const { served, contents: shown } = await trend();
      return [sum(served), sum(shown.map(({ total }) => total?.rewarded ?? 0))];
    })
    .toEqual([40, 20]);
  const found = await trend();
  const held = decisions.filter(({ policy }) => policy === 'holdout');
  const tried = decisions.filter(({ policy, contentId, candidates }) => {
    const chosen = candidates.find((candidate) => candidate.contentId === contentId)!;
    return policy !== 'holdout' && candidates.some(({ propensity }) => propensity > chosen.propensity);
  });
  expect(tried.length).toBeGreaterThan(0);
  expect(held.length).toBeGreaterThan(0);
  expect(sum(found.holdout)).toBe(held.length);
  expect(found.holdoutTotal!.served).toBe(held.length);
  expect(sum(found.tried)).toBe(tried.length);
  for (const { contentId, served, total, rates } of found.contents) {
    const own = decisions.filter((decision) => decision.contentId === contentId);
    expect(total?.served).toBe(own.length);
    expect(sum(served)).toBe(own.filter((each) => ![...held, ...tried].includes(each)).length);
    expect(sum(rates.map((point) => point.served))).toBe(own.length);
    expect(total!.low).toBeLessThanOrEqual(total!.rate);
    expect(total!.high).toBeGreaterThanOrEqual(total!.rate);
  }
  expect(found.total).toMatchObject({ served: 40, rewarded: 20, rate: 0.5 });
  const most = await service.send<typeof found>('GET', '/v1/trends/decisions?contents=1');
  expect(most.body.contents.map(({ contentId }) => contentId)).toEqual([found.contents[0]!.contentId]);
  expect(most.body.total).toEqual(found.total);
  const last = found.gain.at(-1)!;
  expect(last).toMatchObject({ learned: 40 - held.length, holdout: held.length });
  expect(last.low).toBeLessThan(last.gain);
  expect(last.high).toBeGreaterThan(last.gain);
});

it('has attempts by latency, of all subscriptions or of one', async () => {
  const service = await startTestService();
  const { store } = service.platform;
  const attempts = (n: number, status: number | null, durationMs: number) =>
    Array.from({ length: n }, () => ({ status, durationMs }));
  await store.write((tx) =>
    performance.add(tx, service.workspace, 'wh_a', [...attempts(5, 200, 8), ...attempts(2, 500, 250)]),
  );
  await store.write((tx) =>
    performance.add(tx, service.workspace, 'wh_b', [
      ...attempts(3, 200, 12_000),
      ...attempts(1, null, 15_000),
    ]),
  );
  const all = await read<AnswerOf<'getDeliveryTrend'>>(service, '/v1/trends/deliveries');
  expect(all.boundsMs).toEqual([10, 30, 100, 300, 1000, 3000, 15_000]);
  expect(all.attempts.at(-1)).toBe(11);
  expect(all.delivered.at(-1)).toBe(8);
  expect(all.answered.at(-1)).toEqual([5, 0, 0, 2, 0, 0, 3]);
  expect(all).toMatchObject({ capped: false });
  expect(all.subscriptions).toEqual([
    expect.objectContaining({ webhookId: 'wh_a', attempts: 7, delivered: 5 }),
    expect.objectContaining({ webhookId: 'wh_b', attempts: 4, delivered: 3 }),
  ]);
  for (const { p50Ms, p95Ms, attempts, delivered, attemptsByStep, deliveredByStep } of all.subscriptions) {
    expect([p50Ms, p95Ms]).toEqual([expect.any(Number), expect.any(Number)]);
    expect([sum(attemptsByStep), attemptsByStep.at(-1)]).toEqual([attempts, attempts]);
    expect([sum(deliveredByStep), deliveredByStep.at(-1)]).toEqual([delivered, delivered]);
    expect([attemptsByStep.length, deliveredByStep.length]).toEqual([
      all.attempts.length,
      all.attempts.length,
    ]);
  }
  const one = await read<AnswerOf<'getDeliveryTrend'>>(service, '/v1/trends/deliveries?webhookId=wh_a');
  expect(one.attempts.at(-1)).toBe(7);
  expect(one.p95Ms).toBeLessThanOrEqual(300);
  expect(one.subscriptions.map(({ webhookId }) => webhookId)).toEqual(['wh_a']);
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
  const recent = await read<AnswerOf<'getDeliveryTrend'>>(service, `/v1/trends/deliveries?since=${hourAgo}`);
  expect([recent.stepMs, recent.attempts.length]).toEqual([300_000, 13]);
  expect(sum(recent.attempts)).toBe(11);
  const earlier = await read<AnswerOf<'getDeliveryTrend'>>(
    service,
    `/v1/trends/deliveries?until=${new Date(Date.now() - 7_200_000).toISOString()}`,
  );
  expect([sum(earlier.attempts), earlier.subscriptions]).toEqual([0, []]);
});

it('says when the last attempt to a subscription failed at the latest, and how many succeeded since', async () => {
  const service = await startTestService({ testClock: true });
  const { store } = service.platform;
  const attempt = (status: number, n = 1) =>
    store.write((tx) =>
      performance.add(
        tx,
        service.workspace,
        'wh_a',
        Array.from({ length: n }, () => ({ status, durationMs: 5 })),
      ),
    );
  const lastFailure = async (query = '') =>
    (await read<AnswerOf<'getDeliveryTrend'>>(service, `/v1/trends/deliveries${query}`)).subscriptions[0]!
      .lastFailure;
  await attempt(200, 3);
  expect(await lastFailure()).toBeUndefined();
  await attempt(500);
  const failedAt = Date.parse((await clockOf(service)).now);
  // Within the last hour by five minutes, whatever the steps of the chart are.
  const fiveMinutes = at(Math.floor(failedAt / 300_000) * 300_000 + 300_000);
  expect(await lastFailure()).toEqual({ before: fiveMinutes, delivered: 0 });
  await advance(service, 600_000);
  await attempt(200, 4);
  expect(await lastFailure()).toEqual({ before: fiveMinutes, delivered: 4 });
  expect(await lastFailure(`?since=${at(failedAt)}`)).toEqual({ before: fiveMinutes, delivered: 4 });
  // Earlier by the hour.
  await advance(service, 3 * HOUR_MS);
  await attempt(200, 2);
  const hour = at(Math.floor(failedAt / HOUR_MS) * HOUR_MS + HOUR_MS);
  const found = await lastFailure();
  expect(found!.before).toBe(hour);
  expect(found!.delivered).toBeGreaterThanOrEqual(2);
});
