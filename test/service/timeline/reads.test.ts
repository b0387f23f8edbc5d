import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AnswerOf } from '../../../src/contract/endpoints.ts';
import { differenceOf, rateOf } from '../../../src/kit/intervals.ts';
import { decisions } from '../../../src/service/decisions/store/decisions.ts';
import { earnings } from '../../../src/service/decisions/store/earnings.ts';
import { timelines } from '../../../src/service/timeline/store.ts';
import { mergeTimelines, type Position, type Timed } from '../../../src/service/timeline/timeline.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';

const read = async <T>(service: TestService, path: string): Promise<T> => {
  const answer = await service.fetch(path);
  expect(answer.status, await answer.clone().text()).toBe(200);
  return (await answer.json()) as T;
};
const send = async (service: TestService, path: string, body: unknown) => {
  const answer = await service.fetch(path, { body });
  expect(answer.status, await answer.clone().text()).toBeLessThan(300);
  return (await answer.json()) as Record<string, unknown>;
};

type Timeline = AnswerOf<'getUserTimeline'>;

/** A user with events, decisions, outcomes and notifications; returns its hashId. */
async function busyUser(service: TestService): Promise<string> {
  const user = {
    userId: 'u-1',
    name: 'Ada Lovelace',
    phone: '+441632960017',
    traits: { email: 'ada@example.com' },
  };
  const { users } = await send(service, '/v1/users', { users: [user, { userId: 'u-2' }] });
  const [{ hashId }] = users as [{ hashId: string }];
  const event = (name: string, timestamp: string, userId = 'u-1') => ({
    ...{ userId, event: name, timestamp },
    properties: { note: 'ada@example.com', plan: 'gold' },
  });
  await send(service, '/v1/events', {
    events: [
      event('savings_plan_opened', '2026-01-31T12:00:00Z'),
      event('viewed', '2026-01-31T12:00:00Z'),
      event('viewed', '2026-01-31T12:00:00Z'),
      event('viewed', '2026-01-30T12:00:00Z', 'u-2'),
      event('old', '2014-01-30T12:00:00Z'),
    ],
  });
  for (const type of ['opened', 'clicked', 'dismissed']) {
    const { decisionId } = await send(service, '/v1/decisioning/decide', {
      hashId,
      context: { surface: 'home' },
    });
    await send(service, `/v1/messages/${decisionId}/outcomes`, { type });
  }
  for (let i = 0; i < 3; i++)
    await send(service, '/v1/inform/trigger', {
      ...{ hashId, templateId: 'order_update', channel: 'sms' },
      variables: { orderId: 'secret-variable' },
    });
  return hashId;
}

it('says since when it looked through the events that no rule counts, if it did not see all', async () => {
  const service = await startTestService();
  const hashId = await busyUser(service);
  const path = `/v1/users/${hashId}/timeline?kinds=event`;
  expect((await read<Timeline>(service, path)).events?.scannedSince).toBeNull();
  const timestamp = new Date().toISOString();
  const others = Array.from({ length: 1000 }, () => ({ userId: 'u-2', event: 'viewed', timestamp }));
  const before = Date.now();
  for (let batch = 0; batch < 5; batch++) await send(service, '/v1/events', { events: others });
  const { items, events } = await read<Timeline>(service, path);
  expect(items.map(({ event }) => event)).toEqual(['savings_plan_opened']);
  expect(Date.parse(events!.scannedSince!)).toBeGreaterThanOrEqual(before);
});

it('shows a timeline in pages of any size, without a gap, a double or personal data', async () => {
  const service = await startTestService();
  const hashId = await busyUser(service);
  const path = `/v1/users/${hashId}/timeline`;
  const whole = await read<Timeline>(service, path);
  const kinds = (kind: string) => whole.items.filter((item) => item.kind === kind);
  expect(kinds('event').map(({ event }) => event)).toEqual(
    expect.arrayContaining(['savings_plan_opened', 'viewed', 'viewed', 'old']),
  );
  expect(['event', 'decision', 'outcome', 'notification'].map((kind) => kinds(kind).length)).toEqual([
    4, 3, 3, 3,
  ]);
  // Properties, without what looks personal.
  for (const { properties } of kinds('event')) expect(properties).toEqual({ note: '***', plan: 'gold' });
  expect(kinds('outcome').map(({ contentId }) => contentId)).toEqual(
    kinds('decision').map(({ contentId }) => contentId),
  );
  // Only the opened one waits on.
  expect(kinds('message')).toHaveLength(1);
  expect(whole.items.map(({ at }) => at)).toEqual(
    whole.items
      .map(({ at }) => at)
      .sort()
      .reverse(),
  );
  expect(whole.next).toBeUndefined();
  expect(whole.contacts).toEqual([
    { of: 'all', used: 6, failed: 0, waiting: expect.any(Number), cap: null, windowHours: 24 },
  ]);
  expect(whole.marketing).toEqual(
    ['whatsapp', 'sms', 'email', 'push'].map((channel) => ({ channel, verdict: 'send' })),
  );
  expect(whole.events?.counted).toContain('savings_plan_opened');
  expect(JSON.stringify(whole)).not.toMatch(/Ada|ada@|441632960017|secret-variable|u-1/);

  for (const limit of [1, 2, 5]) {
    const items: Timeline['items'] = [];
    let after: string | undefined;
    do {
      const page: Timeline = await read(service, `${path}?limit=${limit}${after ? `&after=${after}` : ''}`);
      expect(page.items.length).toBeLessThanOrEqual(limit);
      items.push(...page.items);
      after = page.next;
      // What happens meanwhile is newer, and belongs to no later page.
      if (items.length === limit)
        await send(service, '/v1/inform/trigger', {
          ...{ hashId, templateId: 'order_update', channel: 'sms', variables: { orderId: '1' } },
        });
    } while (after);
    const seen = items.map(({ kind, id, outcome }) => `${kind} ${id} ${outcome ?? ''}`);
    expect(new Set(seen).size).toBe(seen.length);
    const missing = whole.items.filter(
      ({ kind, id, outcome }) => !seen.includes(`${kind} ${id} ${outcome ?? ''}`),
    );
    expect(missing).toEqual([]);
  }
  const some = await read<Timeline>(service, `${path}?kinds=decision,outcome&until=2020-01-01T00:00:00Z`);
  expect(some.items).toEqual([]);
  expect((await service.fetch(`${path}?kinds=event,personal`)).status).toBe(400);
  for (const after of ['e30', 'W10', Buffer.from('[1,[1,"x",1],null,null,null,null]').toString('base64url')])
    expect((await service.fetch(`${path}?after=${after}`)).status, after).toBe(400);
});

it('shows what a decision earned before the reward log has it', async () => {
  const { platform, workspace } = await startTestService();
  const hashId = 'h'.repeat(64);
  const shown = await platform.store.write(async (tx) => {
    await decisions.add(tx, workspace, {
      ...{ decisionId: 'd', hashId, context: {}, contentId: 'c', candidates: [], others: null, features: [] },
      ...{
        category: null,
        attributes: [],
        prior: 0.1,
        modelVersion: 0,
        seed: '',
        policy: null,
        reason: null,
        explanation: null,
      },
      removed: null,
    });
    // The reward log writer runs after this transaction.
    await earnings.startCounting(tx, workspace, 'd', 0.6);
    const part = { from: undefined, until: Number.MAX_SAFE_INTEGER, limit: 1 };
    return timelines.decision(tx, workspace, hashId, part);
  });
  expect(shown.rows).toMatchObject([{ id: 'd', reward: 0.6 }]);
});

it('lists contents in pages: those of the catalog, then those that were in it', async () => {
  const service = await startTestService();
  const { platform, workspace } = service;
  const gone = Array.from({ length: 700 }, (_, i) => `gone ${String(i).padStart(3, '0')}`);
  await platform.store.write(async ({ sql }) => {
    for (const id of ['', 'welcome_tour', ...gone])
      await sql.run(
        `INSERT INTO content_count (workspace_id, width, content_id, bucket, policy, served, rewarded, dismissed)
         VALUES (?, 0, ?, 0, 'learned', 4, 1, 0)`,
        [workspace, id],
      );
  });
  const pages: string[][] = [];
  let after: string | undefined;
  do {
    const query = after === undefined ? '' : `?after=${encodeURIComponent(after)}`;
    const { items, next } = await read<AnswerOf<'listContents'>>(service, `/v1/contents${query}`);
    expect(
      items.filter(({ id }) => id === 'welcome_tour' || gone.includes(id)).every((item) => item.served === 4),
    ).toBe(true);
    pages.push(items.map(({ id }) => id));
    after = next;
  } while (after !== undefined);
  expect(pages.map(({ length }) => length)).toEqual([500, pages.flat().length - 500]);
  const contents = pages.flat();
  expect(new Set(contents).size).toBe(contents.length);
  expect(contents.slice(-700)).toEqual(gone);
  expect(contents.indexOf('welcome_tour')).toBe(0);
});

it('forgets the timeline of an erased user', async () => {
  const service = await startTestService();
  const hashId = await busyUser(service);
  await service.fetch(`/v1/users/${hashId}`, { method: 'DELETE' });
  const { items } = await read<Timeline>(service, `/v1/users/${hashId}/timeline`);
  expect(items).toEqual([]);
});

it('merges sources in any order of times, sizes of pages and growth', () => {
  const times = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 12 });
  fc.assert(
    fc.property(
      fc.array(times, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 6 }),
      (given, read, limit) => {
        const sources = given.map((each, source) =>
          each
            .sort((a, b) => b - a)
            .map((at, i): Timed & { source: number } => ({ at, source, key: String(i).padStart(3, '0') })),
        );
        let positions: (Position | null | undefined)[] = sources.map(() => undefined);
        const seen: (Timed & { source: number })[] = [];
        for (let page = 0; positions.some((position) => position !== null); page++) {
          expect(page).toBeLessThan(200);
          const pages = sources.map((rows, i) => {
            const from = positions[i];
            if (from === null) return { rows: [], more: false };
            const rest = from
              ? rows.filter(({ at, key }) => {
                  const place = at - from.at || (key < from.id ? 1 : key > from.id ? -1 : 0);
                  return place < 0 || (place === 0 && from.inclusive);
                })
              : rows;
            return { rows: rest.slice(0, read), more: rest.length > read };
          });
          const { entries, next } = mergeTimelines(pages, limit);
          seen.push(...entries);
          positions = next;
        }
        expect(seen.map(({ at }) => at)).toEqual(given.flat().sort((a, b) => b - a));
        expect(new Set(seen.map(({ source, key }) => `${source} ${key}`)).size).toBe(seen.length);
      },
    ),
  );
});

it('counts what contents earned, in all, over time and by what made the choice', async () => {
  const service = await startTestService();
  const hashId = await busyUser(service);
  type List = AnswerOf<'listContents'>;
  const list = () => read<List>(service, '/v1/contents');
  const sum = ({ items }: List) =>
    items.reduce(
      (total, { served, rewarded, dismissed }) => [
        total[0]! + served,
        total[1]! + rewarded,
        total[2]! + dismissed,
      ],
      [0, 0, 0],
    );
  await expect.poll(async () => sum(await list())).toEqual([3, 1, 1]);
  const { items } = await list();
  expect(items.map(({ id }) => id)).toContain('welcome_tour');
  expect(items.every(({ status }) => status === 'active')).toBe(true);
  const served = items.find((item) => item.rewarded === 1)!;
  expect(served.low!).toBeLessThan(served.rate!);
  const one = await read<AnswerOf<'getContent'>>(service, `/v1/contents/${served.id}`);
  expect(one).toMatchObject({ step: 'hour', served: served.served });
  expect(one.series.reduce((total, point) => total + point.served, 0)).toBe(served.served);
  const model = await read<AnswerOf<'getModel'>>(service, '/v1/model?step=day');
  expect(model).toMatchObject({ step: 'day', all: { served: 3, rewarded: 1 }, gain: null });
  expect(model.byPolicy.learned.served).toBe(3);
  expect(model.byPolicy.holdout).toMatchObject({ served: 0, rate: null });
  expect((await service.fetch('/v1/contents/none')).status).toBe(404);
  // A further click of the same message counts once.
  const { items: entries } = await read<Timeline>(service, `/v1/users/${hashId}/timeline?kinds=outcome`);
  const clicked = entries.find(({ outcome }) => outcome === 'clicked')!;
  await send(service, `/v1/messages/${clicked.id}/outcomes`, { type: 'actioned' });
  await expect.poll(async () => (await read<AnswerOf<'getModel'>>(service, '/v1/model')).behind).toBe(0);
  expect(sum(await list())).toEqual([3, 1, 1]);
});

it('gives intervals that hold the rate, and the difference of two', () => {
  expect(rateOf(0, 0)).toBeNull();
  // The ends are where the score test is as large as the quantile (Wilson 1927).
  for (const [hits, n] of [
    [15, 50],
    [0, 8],
    [999, 1000],
  ] as const) {
    const { rate, low, high } = rateOf(hits, n)!;
    for (const end of [low, high].filter((share) => share !== rate))
      expect(Math.abs(rate - end) / Math.sqrt((end * (1 - end)) / n)).toBeCloseTo(1.959964, 5);
  }
  // Newcombe 1998, table II (a): 56/70 less 48/80.
  const { low, high } = differenceOf(rateOf(56, 70)!, rateOf(48, 80)!);
  expect([low.toFixed(4), high.toFixed(4)]).toEqual(['0.0524', '0.3339']);
  fc.assert(
    fc.property(fc.nat(1000), fc.nat(1000), (a, b) => {
      const { rate, low, high } = rateOf(Math.min(a, b), Math.max(a, b, 1))!;
      expect(low >= 0 && low <= rate && rate <= high && high <= 1).toBe(true);
    }),
  );
});
