import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AnswerOf } from '../../../src/contract/endpoints.ts';
import { HOUR_MS, HOURS, hoursSince, overviews } from '../../../src/service/overview/store.ts';
import { BACKUP, settings } from '../../../src/service/platform/store/settings.ts';
import { performance } from '../../../src/service/webhooks/store/performance.ts';
import { startReceiver } from '../../support/peers/receiver.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';
import { advance } from '../../support/process/test-clock.ts';

type Overview = AnswerOf<'getOverview'>;

const read = async (service: TestService): Promise<Overview> => {
  const answer = await service.fetch('/v1/overview');
  expect(answer.status, await answer.clone().text()).toBe(200);
  return (await answer.json()) as Overview;
};
const send = async (service: TestService, path: string, body: unknown) => {
  const answer = await service.fetch(path, { body });
  expect(answer.status, await answer.clone().text()).toBeLessThan(300);
  return (await answer.json()) as Record<string, unknown>;
};
const sum = (counts: readonly number[]) => counts.reduce((total, n) => total + n, 0);
const events = (n: number) => ({
  events: Array.from({ length: n }, (_, i) => ({
    ...{ userId: `u-${i}`, event: 'viewed', timestamp: '2026-01-31T12:00:00Z' },
  })),
});
const NONE = new Array(HOURS).fill(0);

it('is empty for a workspace without data', async () => {
  const service = await startTestService();
  expect(await read(service)).toMatchObject({
    before: { events: 0, decisions: 0 },
    events: { stored: 0, byHour: NONE },
    decisions: { byHour: NONE, latency: null, counted: { learned: 0, holdout: 0, weights: 0 } },
    messages: { servedByHour: NONE, tappedByHour: NONE, rewarded: 0, waiting: [] },
    notifications: { queued: NONE, failed: NONE },
    deliveries: { pending: NONE, failed: NONE, attempts: 0, p95Ms: null },
    providers: [],
    has: { users: false, webhooks: false },
    lastBackupAt: null,
    capped: false,
  });
});

it('says when the database was last backed up', async () => {
  const service = await startTestService();
  await service.platform.store.write((tx) => settings.set(tx, BACKUP, Date.parse('2026-01-31T12:00:00Z')));
  expect((await read(service)).lastBackupAt).toBe('2026-01-31T12:00:00.000Z');
});

it('counts each move in the hours in which it happened, and nothing that is older', async () => {
  const service = await startTestService({ testClock: true, allowLoopbackWebhooks: true });
  // Ten minutes before the hour of the clock ends.
  await advance(service, HOUR_MS - (Date.now() % HOUR_MS) + (50 * HOUR_MS) / 60);
  const receiver = await startReceiver();
  await send(service, '/v1/webhooks', {
    url: receiver.url,
    events: ['campaign.clicked'],
    signingSecret: 'a-secret-of-the-test',
  });
  await send(service, '/v1/events', events(7));
  await advance(service, (HOURS + 2) * HOUR_MS);
  await send(service, '/v1/events', events(5));
  await advance(service, 3 * HOUR_MS);
  await send(service, '/v1/events', events(3));
  const { users } = await send(service, '/v1/users', { users: [{ userId: 'u-1', phone: '+441632960017' }] });
  const [{ hashId }] = users as [{ hashId: string }];
  const { decisionId } = await send(service, '/v1/decisioning/decide', {
    hashId,
    context: { channel: 'in-app', surface: 'home' },
  });
  await service.fetch(`/v1/messages?hashId=${hashId}`);
  await send(service, `/v1/messages/${decisionId}/outcomes`, { type: 'clicked' });
  const { notificationId } = await send(service, '/v1/inform/trigger', {
    ...{ hashId, templateId: 'order_update', channel: 'sms' },
    variables: { orderId: '1' },
  });
  expect(notificationId).toBeDefined();
  await receiver.waitFor(1);
  const last = (n: number) => [...NONE.slice(1), n];
  await expect
    .poll(async () => {
      const { deliveries, messages } = await read(service);
      return [sum(deliveries.delivered), sum(messages.servedByHour)];
    })
    .toEqual([1, 1]);
  const overview = await read(service);
  expect(overview.events).toEqual({ stored: 15, byHour: [...NONE.slice(4), 5, 0, 0, 3] });
  expect(overview.before).toEqual({ events: 7, decisions: 0 });
  expect(overview.decisions.byHour).toEqual(last(1));
  expect(overview.decisions.latency).toMatchObject({ answers: 1, p95Ms: overview.decisions.latency!.p50Ms });
  expect(sum(Object.values(overview.decisions.counted))).toBe(1);
  expect(overview.messages).toMatchObject({ rewarded: 1, tappedByHour: last(1) });
  expect(sum(Object.values(overview.notifications).flat())).toBe(1);
  expect(overview.deliveries).toMatchObject({ delivered: last(1), attempts: 1, attemptsSucceeded: 1 });
  expect(overview.deliveries.p95Ms).toBeGreaterThanOrEqual(0);
  expect(overview.has).toEqual({ users: true, webhooks: true });
  // Two decisions of one surface: the first message was answered, the second waits.
  const again = { hashId, context: { channel: 'in-app', surface: 'home' } };
  await send(service, '/v1/decisioning/decide', again);
  expect((await read(service)).messages.waiting).toMatchObject([{ unseen: 1, seen: 0 }]);
  await service.fetch(`/v1/messages?hashId=${hashId}`);
  expect((await read(service)).messages.waiting).toMatchObject([{ unseen: 0, seen: 1 }]);
  // The hours of all moves are the same.
  await advance(service, (140 * HOUR_MS) / 60);
  const later = await read(service);
  const before = [...NONE.slice(4), 1, 0, 0, 0];
  expect(Date.parse(later.from) % HOUR_MS).toBe(0);
  expect(later.decisions.byHour).toEqual(before.map((n) => 2 * n));
  expect(later.messages.tappedByHour).toEqual(before);
  expect(later.messages.servedByHour).toEqual(before.map((n) => 2 * n));
  expect(later.deliveries.delivered).toEqual(before);
  expect(Object.values(later.notifications)).toContainEqual(before);
  // A day later the same hours are those before.
  await advance(service, HOURS * HOUR_MS);
  const nextDay = await read(service);
  expect(sum([...nextDay.events.byHour, ...nextDay.messages.servedByHour])).toBe(0);
  expect(nextDay.before).toEqual({ events: 8, decisions: 2 });
  await receiver.close();
});

it('has the attempts of the trend of a day, also those of deliveries that were removed', async () => {
  const service = await startTestService();
  const attempts = [...new Array(9).fill({ status: 200, durationMs: 8 }), { status: 500, durationMs: 240 }];
  await service.platform.store.write((tx) => performance.add(tx, service.workspace, 'wh_a', attempts));
  const answer = await service.fetch('/v1/trends/deliveries');
  const { p95Ms } = (await answer.json()) as AnswerOf<'getDeliveryTrend'>;
  expect(p95Ms).toBeGreaterThan(200);
  expect((await read(service)).deliveries).toMatchObject({
    ...{ attempts: 10, attemptsSucceeded: 9, p95Ms },
    lastHour: [{ webhookId: 'wh_a', attempts: 10, delivered: 9 }],
  });
});

it('says when providers last took a notification and failed one, and how many wait for one that fails', async () => {
  const provider = await startReceiver();
  const service = await startTestService({
    environment: { SVC_SMS_URL: provider.url, SVC_PROVIDER_SECRET: 'a-secret-of-the-test' },
  });
  expect((await read(service)).providers).toEqual([
    { channel: 'sms', lastSuccessAt: null, lastFailureAt: null, waiting: 0 },
  ]);
  const { users } = await send(service, '/v1/users', { users: [{ userId: 'u-1', phone: '+441632960017' }] });
  const [{ hashId }] = users as [{ hashId: string }];
  await send(service, '/v1/inform/trigger', {
    ...{ hashId, templateId: 'order_update', channel: 'sms' },
    variables: { orderId: '1' },
  });
  await provider.waitFor(1);
  await expect.poll(async () => (await read(service)).providers[0]?.lastSuccessAt).toMatch(/^20\d\d-/);
  const { store } = service.platform;
  await store.write((tx) =>
    tx.sql.run("UPDATE notification SET status = 'queued', tries = 3 WHERE workspace_id = ?", [
      service.workspace,
    ]),
  );
  expect((await read(service)).providers).toEqual([
    { channel: 'sms', lastSuccessAt: null, lastFailureAt: null, waiting: 1 },
  ]);
  const at = '2026-01-31T12:00:00.000Z';
  const failFor = (failure: string) =>
    store.write((tx) =>
      tx.sql.run(
        "UPDATE notification SET status = 'failed', failure = ?, history = ? WHERE workspace_id = ?",
        [failure, JSON.stringify([{ status: 'failed', at }]), service.workspace],
      ),
    );
  // No provider was asked for this one.
  await failFor('suppressed: stop');
  expect((await read(service)).providers).toMatchObject([{ lastFailureAt: null }]);
  await failFor('HTTP 400: no such number');
  expect((await read(service)).providers).toMatchObject([{ lastSuccessAt: null, lastFailureAt: at }]);
  await provider.close();
});

it('finds the hours of events by their numbers, whatever was removed between them', async () => {
  const service = await startTestService();
  const { store } = service.platform;
  const from = 1_700_000_000_000;
  const rows = fc.array(fc.tuple(fc.integer({ min: -3, max: HOURS * 4 }), fc.boolean()), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(rows, fc.nat(5), async (given, gap) => {
      const workspaceId = `ws-${Math.random()}`;
      const quarters = given.map(([quarter]) => quarter).sort((a, b) => a - b);
      // Numbers begin after those that retention removed.
      const numbered = quarters.map((quarter, i) => ({ number: i + 1 + gap, at: from + quarter * 900_000 }));
      await store.write(async (tx) => {
        for (const [i, { number, at }] of numbered.entries())
          if (!given[i]![1] || i === numbered.length - 1)
            await tx.sql.run(
              `INSERT INTO event (workspace_id, number, user_id, event, timestamp, received_at) VALUES (?, ?, 'u', 'e', 't', ?)`,
              [workspaceId, number, at],
            );
      });
      const head = numbered.at(-1)?.number ?? gap;
      const counts = await store.read((tx) => overviews.events(tx, workspaceId, head, hoursSince(from)));
      const present = numbered.filter((_, i) => !given[i]![1] || i === numbered.length - 1);
      // A number that is gone belongs to the hour of the one before it.
      const before = (at: number) => {
        const next = present.find((row) => row.at >= at);
        return next === undefined ? head : next.number - 1;
      };
      const expected = Array.from({ length: HOURS }, (_, hour) =>
        Math.max(
          0,
          (hour === HOURS - 1 ? head : before(from + (hour + 1) * HOUR_MS)) - before(from + hour * HOUR_MS),
        ),
      );
      expect(counts).toEqual(expected);
    }),
    { numRuns: 30 },
  );
});
