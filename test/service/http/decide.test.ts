import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { AnswerOf } from '../../../src/contract/endpoints.ts';
import type { ServiceOptions } from '../../../src/service/start.ts';
import { type RawService, rawService, wallClock } from '../../support/peers/raw-service.ts';

let release: (() => Promise<void>) | undefined;
afterEach(async () => {
  await release?.();
  release = undefined;
});

async function open(options: Partial<ServiceOptions> = {}): Promise<RawService> {
  const opened = await rawService(options);
  release = opened.release;
  return opened.service;
}

const DECIDE = '/v1/decisioning/decide';
const decide = (service: RawService, hashId: string, rest: object = {}) =>
  service.send<AnswerOf<'decide'>>('POST', DECIDE, {
    hashId,
    context: { channel: 'in-app', surface: 'home', locale: 'en-GB' },
    ...rest,
  });
const waiting = async (service: RawService, hashId: string) =>
  (await service.send<AnswerOf<'listMessages'>>('GET', `/v1/messages?hashId=${hashId}`)).body.messages;
const outcome = (service: RawService, decisionId: string, type: string) =>
  service.send('POST', `/v1/messages/${decisionId}/outcomes`, { type });
const log = async (service: RawService) =>
  (await service.send<AnswerOf<'listDecisions'>>('GET', '/v1/decisions')).body.decisions;
const identify = async (service: RawService, user: object) =>
  (await service.send<AnswerOf<'ingestUsers'>>('POST', '/v1/users', { users: [user] })).body.users[0]!.hashId;
const content = (contentId: string, rest: object = {}) => ({
  contentId,
  category: 'any',
  format: 'card',
  title: contentId,
  body: 'Body',
  ...rest,
});
const catalogFile = (service: { folder: string } | string, contents: object[], settings?: object) => {
  const file = join(typeof service === 'string' ? service : service.folder, 'catalog.json');
  writeFileSync(file, JSON.stringify({ contents, ...(settings && { settings }) }));
  return file;
};

describe('users', () => {
  test('get a stable, opaque hashId that differs between workspaces', async () => {
    const one = await open();
    const first = await identify(one, { userId: 'u1', name: 'Ada' });
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(await identify(one, { userId: 'u1', phone: '1' })).toBe(first);
    expect(await identify(one, { userId: 'u2' })).not.toBe(first);
    const firstRelease = release!;
    const two = await open();
    expect(await identify(two, { userId: 'u1' })).not.toBe(first);
    await firstRelease();
  });

  test('answers come in the order of the request, 1,000 at a time', async () => {
    const service = await open();
    const users = Array.from({ length: 1000 }, (_, i) => ({ userId: `u${i % 700}`, traits: { n: i } }));
    const { status, body } = await service.send<AnswerOf<'ingestUsers'>>('POST', '/v1/users', { users });
    expect(status).toBe(200);
    expect(body.users.map((u) => u.userId)).toEqual(users.map((u) => u.userId));
    expect(new Set(body.users.map((u) => u.hashId)).size).toBe(700);
    const none = await service.send('POST', '/v1/users', { users: [] });
    expect([none.status, none.body.error]).toEqual([400, 'invalid_request']);
  });
});

describe('decide', () => {
  test('answers in the form of the specification, also for a new user', async () => {
    const service = await open();
    const { status, body } = await decide(service, 'nobody-yet');
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['decisionId', 'action', 'alternatives']);
    expect(Object.keys(body.action)).toEqual(['type', 'contentId', 'ranking', 'reason']);
    expect(body.action.type).toBe('in-app-message');
    expect(body.alternatives).toHaveLength(3);
    for (const other of body.alternatives) {
      expect(Object.keys(other)).toEqual(['type', 'contentId', 'ranking']);
      expect(other.contentId).not.toBe(body.action.contentId);
    }
    expect((await service.send('POST', DECIDE, { hashId: 'x' })).status).toBe(200);
  });

  test('explains an answer of type none by the guardrails', async () => {
    const service = await open();
    const { body } = await decide(service, 'h', {
      guardrails: { excludeCategories: ['onboarding', 'savings', 'offers', 'security', 'service'] },
    });
    expect(body.action).toMatchObject({ type: 'none', contentId: '', ranking: 0 });
    expect(body.action.reason).toMatch(/excludeCategories \(offers\) removed card_offer, refer_a_friend/);
    expect(body.alternatives).toEqual([]);
    expect(await waiting(service, 'h')).toEqual([]);
  });

  test('guardrails fail closed: unknown categories are named, locales are BCP 47', async () => {
    const service = await open();
    const typo = { guardrails: { excludeCategories: ['offers', 'ofers'] } };
    expect((await decide(service, 'h', typo)).body.action.reason).toMatch(
      /Warning: no content is in the excluded category ofers\.$/,
    );
    const inLocale = (locale: string) => decide(service, 'h', { context: { locale } });
    expect((await inLocale('en_GB')).body.action.reason).toMatch(/in en-GB/);
    expect((await inLocale('banana')).status).toBe(400);
    const user = {
      users: [
        { userId: 'u', locale: 'pt_BR' },
        { userId: 'v', locale: 'nonsense_' },
      ],
    };
    const refused = await service.send('POST', '/v1/users', user);
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringMatching(/users\[1\]\.locale|"index":1/),
    ]);
  });

  test('the reason names the trait rule that admitted a content', async () => {
    const first = await open();
    const pro = content('pro', { eligibility: { traits: [{ trait: 'plan', equals: 'pro' }] } });
    const service = await first.restart({ catalog: catalogFile(first, [pro]) });
    const hashId = await identify(service, { userId: 'u', traits: { plan: 'pro' } });
    expect((await decide(service, hashId)).body.action.reason).toMatch(/by the rule on trait plan;/);
  });

  test('keeps the cap under 64 requests at a time, also for a hashId nobody knows', async () => {
    const service = await open();
    const answers = await Promise.all(
      Array.from({ length: 64 }, () => decide(service, 'h', { guardrails: { maxDailyContacts: 5 } })),
    );
    expect(answers.filter(({ body }) => body.action.type !== 'none')).toHaveLength(5);
    expect(answers.at(-1)!.body.action.reason).toMatch(/maxDailyContacts 5 is reached/);
    expect(await waiting(service, 'h')).toHaveLength(5);
  });

  test("counts a day in the user's time zone, over the night the clocks change", async () => {
    const clock = wallClock('2026-03-28T12:00:00Z');
    const service = await open({ clock });
    const hashId = await identify(service, { userId: 'u', timeZone: 'Europe/Berlin' });
    const once = async () =>
      (await decide(service, hashId, { guardrails: { maxDailyContacts: 1 } })).body.action.type;
    clock.set('2026-03-28T22:59:50Z');
    expect(await once()).toBe('in-app-message');
    clock.set('2026-03-28T23:00:10Z');
    expect(await once()).toBe('in-app-message');
    expect(await once()).toBe('none');
    clock.set('2026-03-29T21:59:50Z');
    expect(await once()).toBe('none');
    clock.set('2026-03-29T22:00:10Z');
    expect(await once()).toBe('in-app-message');
  });

  test('obeys rules on traits and on recent events', async () => {
    const first = await open();
    const catalog = catalogFile(first, [
      content('for_pro', { eligibility: { traits: [{ trait: 'plan', equals: 'pro' }] } }),
      content('for_buyers', { eligibility: { events: [{ event: 'purchase', withinDays: 7, atLeast: 2 }] } }),
    ]);
    const service = await first.restart({ catalog });
    const pro = await identify(service, { userId: 'pro', traits: { plan: 'pro' } });
    const buyer = await identify(service, { userId: 'buyer', traits: { plan: 'free' } });
    await expect.poll(() => service.idle()).toBe(true);
    const timestamp = new Date().toISOString();
    const purchase = { userId: 'buyer', event: 'purchase', timestamp };
    await service.send('POST', '/v1/events', { events: [purchase, { ...purchase, event: 'other' }] });
    expect((await decide(service, pro)).body.action.contentId).toBe('for_pro');
    expect((await decide(service, buyer)).body.action.contentId).toBe('');
    await service.send('POST', '/v1/events', { events: [purchase] });
    expect((await decide(service, buyer)).body.action.contentId).toBe('for_buyers');
    const none = (await decide(service, 'unknown')).body.action.reason;
    expect(none).toMatch(
      /the rule on trait plan removed for_pro; the rule on event purchase removed for_buyers/,
    );
  });

  test('counts events from before a rule asked about them, each once', async () => {
    const first = await open();
    await identify(first, { userId: 'buyer' });
    const event = { userId: 'buyer', event: 'purchase', timestamp: new Date().toISOString() };
    for (let i = 0; i < 3; i++) await first.send('POST', '/v1/events', { events: [event, event] });
    const rule = (atLeast: number, atMost: number) => [
      content('exact', { eligibility: { events: [{ event: 'purchase', withinDays: 1, atLeast, atMost }] } }),
    ];
    let service = await first.restart({ catalog: catalogFile(first, rule(6, 6)) });
    const hashId = await identify(service, { userId: 'buyer' });
    const chosen = async () => (await decide(service, hashId)).body.action.contentId;
    await expect.poll(() => service.idle()).toBe(true);
    expect(await chosen()).toBe('exact');
    service = await service.restart({ catalog: catalogFile(service, []) });
    await expect.poll(() => service.idle()).toBe(true);
    await service.send('POST', '/v1/events', { events: [event] });
    service = await service.restart({ catalog: catalogFile(service, rule(8, 8)) });
    await service.send('POST', '/v1/events', { events: [event] });
    await expect.poll(() => service.idle()).toBe(true);
    expect(await chosen()).toBe('exact');
  });

  test('repeats itself with a seed, also after a restart on new data', async () => {
    const run = async (seed: string | undefined) => {
      const { service, release: done } = await rawService({ seed });
      const chosen: string[] = [];
      for (let i = 0; i < 40; i++) chosen.push((await decide(service, `h${i % 8}`)).body.action.contentId);
      await done();
      return chosen.join();
    };
    const seeded = await run('7');
    expect(await run('7')).toBe(seeded);
    expect(await run('8')).not.toBe(seeded);
    expect(await run(undefined)).not.toBe(await run(undefined));
  });
});

describe('what is known of a person', () => {
  const SECRETS = ['ruby-tier', 'Ada Lovelace', '+4930123456', 'ada@example.org', 'ward-7'];

  test('weighs in decisions, and is kept in clear neither in the model nor in the log', async () => {
    const first = await open();
    const catalog = catalogFile(first, [content('only')]);
    const service = await first.restart({ catalog });
    const traits = { tier: 'ruby-tier', email: 'ada@example.org', fullName: 'Ada Lovelace' };
    const hashId = await identify(service, { userId: 'u', phone: '+4930123456', traits });
    const other = await identify(service, { userId: 'u2', traits: { tier: 'basic' } });
    const context = { surface: 'home', ward: 'ward-7' };
    for (let i = 0; i < 12; i++) {
      await outcome(service, (await decide(service, hashId, { context })).body.decisionId, 'actioned');
      await decide(service, other, { context });
    }
    await expect.poll(() => service.idle(), { timeout: 10_000 }).toBe(true);
    const { reason } = (await decide(service, hashId, { context })).body.action;
    expect(reason).toMatch(/trait tier speaks for it/);
    const kept = await service.deps.store.read(async (tx) =>
      JSON.stringify([
        await tx.sql.all('SELECT body FROM model'),
        await tx.sql.all('SELECT * FROM decision'),
        await tx.sql.all('SELECT * FROM reward'),
      ]),
    );
    expect(kept).toContain('home');
    for (const secret of SECRETS)
      expect([kept.includes(secret), reason.includes(secret)]).toEqual([false, false]);
    expect((await log(service))[0]!.context).toEqual({ surface: 'home' });
  });

  test('events of a user weigh, those just sent and those of before a restart', async () => {
    const first = await open();
    const catalog = catalogFile(first, [content('only')]);
    let service = await first.restart({ catalog });
    const [buyer, other] = [
      await identify(service, { userId: 'buyer' }),
      await identify(service, { userId: 'other' }),
    ];
    const event = { userId: 'buyer', event: 'purchase', timestamp: new Date().toISOString() };
    await service.send('POST', '/v1/events', { events: [event, event, event] });
    for (let i = 0; i < 12; i++) {
      await outcome(service, (await decide(service, buyer)).body.decisionId, 'actioned');
      await decide(service, other);
      if (i === 5) {
        await expect.poll(() => service.idle(), { timeout: 10_000 }).toBe(true);
        service = await service.restart();
      }
    }
    expect((await decide(service, buyer)).body.action.reason).toMatch(/purchase happened speaks for it/);
    expect((await decide(service, other)).body.action.reason).not.toMatch(/purchase/);
  });

  test('refuses a context that is not flat', async () => {
    const service = await open();
    const { status } = await decide(service, 'h', { context: { cart: { items: 3 } } });
    expect(status).toBe(400);
  });
});

describe('render', () => {
  test('a decision waits until the user deals with it', async () => {
    const service = await open();
    const { body } = await decide(service, 'h');
    const [message, ...more] = await waiting(service, 'h');
    expect(more).toEqual([]);
    expect(message).toMatchObject({ decisionId: body.decisionId, contentId: body.action.contentId });
    expect(Object.keys(message!)).toEqual([
      ...['decisionId', 'contentId', 'channel', 'surface', 'format', 'title', 'body'],
    ]);
    expect((await outcome(service, body.decisionId, 'opened')).status).toBe(202);
    expect(await waiting(service, 'h')).toHaveLength(1);
    expect((await outcome(service, body.decisionId, 'clicked')).status).toBe(202);
    expect(await waiting(service, 'h')).toEqual([]);
    expect(await waiting(service, 'other')).toEqual([]);
  });

  test('a message not shown by the end of the day is withdrawn', async () => {
    const clock = wallClock('2026-05-01T10:00:00Z');
    const service = await open({ clock });
    const hashId = await identify(service, { userId: 'u', timeZone: 'Asia/Tokyo' });
    await decide(service, hashId);
    clock.set('2026-05-01T14:59:30Z');
    expect(await waiting(service, hashId)).toHaveLength(1);
    clock.set('2026-05-01T15:00:10Z');
    expect(await waiting(service, hashId)).toEqual([]);
  });

  test('a poll serves what suits the surface, and withdraws what was recalled or no longer suits', async () => {
    const first = await open();
    const pro = { eligibility: { traits: [{ trait: 'plan', equals: 'pro' }] } };
    const service = await first.restart({
      catalog: catalogFile(first, [content('recalled'), content('pro', pro)]),
    });
    const at = (channel: string, surface: string, category: string) => ({
      context: { channel, surface },
      guardrails: { excludeCategories: [category] },
    });
    const catalogWith = (...contents: object[]) => catalogFile(service, contents);
    const hashId = await identify(service, { userId: 'u', traits: { plan: 'pro' } });
    await waiting(service, hashId);
    catalogWith(content('recalled', { category: 'one' }), content('pro', { category: 'two', ...pro }));
    const chosen = async (place: object) => (await decide(service, hashId, place)).body.action;
    await expect
      .poll(async () => (await chosen(at('in-app', 'home', 'two'))).reason, { timeout: 10_000 })
      .not.toMatch(/Warning/);
    expect((await chosen(at('in-app', 'cart', 'one'))).contentId).toBe('pro');
    expect((await chosen(at('push', 'lock', 'one'))).type).toBe('push');
    const on = async (surface: string) =>
      (
        await service.send<AnswerOf<'listMessages'>>(
          'GET',
          `/v1/messages?hashId=${hashId}&surface=${surface}`,
        )
      ).body.messages.map((message) => [message.contentId, message.channel, message.surface]);
    expect(await on('cart')).toEqual([['pro', 'in-app', 'cart']]);
    expect((await on('home')).at(0)).toEqual(['recalled', 'in-app', 'home']);
    expect(await on('lock')).toEqual([]);
    await identify(service, { userId: 'u', traits: { plan: 'free' } });
    expect(await on('cart')).toEqual([]);
    catalogWith(content('pro', pro));
    await expect.poll(() => on('home'), { timeout: 10_000 }).toEqual([]);
  });

  test('a contact withdrawn before it was served is released; one that was served is not', async () => {
    const first = await open();
    const service = await first.restart({ catalog: catalogFile(first, [content('a'), content('b')]) });
    await waiting(service, 'anybody');
    const once = async (hashId: string) =>
      (await decide(service, hashId, { guardrails: { maxDailyContacts: 1 } })).body.action.contentId;
    expect([await once('unserved'), await once('served')]).not.toContain('');
    expect(await waiting(service, 'served')).toHaveLength(1);
    expect([await once('unserved'), await once('served')]).toEqual(['', '']);
    catalogFile(service, [content('c')]);
    const newCatalog = async () => (await decide(service, 'other')).body.action.contentId;
    await expect.poll(newCatalog, { timeout: 10_000 }).toBe('c');
    expect(await waiting(service, 'unserved')).toEqual([]);
    expect(await waiting(service, 'served')).toEqual([]);
    expect([await once('unserved'), await once('served')]).toEqual(['c', '']);
    expect(await once('unserved')).toBe('');
  });

  test('rejects an outcome without a message and an unknown one', async () => {
    const service = await open();
    expect((await outcome(service, 'dec_none', 'opened')).body.error).toBe('not_found');
    const { body } = await decide(service, 'h', { guardrails: { maxDailyContacts: 0 } });
    expect((await outcome(service, body.decisionId, 'opened')).status).toBe(404);
    const made = await decide(service, 'h');
    expect((await outcome(service, made.body.decisionId, 'ignored')).status).toBe(400);
  });
});

describe('the log and what is learned from it', () => {
  test('a decision can be made again from its log entry', async () => {
    const service = await open();
    const { body } = await decide(service, 'h');
    const [entry] = await log(service);
    expect(entry).toMatchObject({
      decisionId: body.decisionId,
      hashId: 'h',
      contentId: body.action.contentId,
      context: { channel: 'in-app', surface: 'home', locale: 'en-GB' },
      modelVersion: 0,
      reward: 0,
    });
    expect(entry!.seed).toMatch(/^[0-9a-f]{16}$/);
    expect(entry!.candidates.reduce((sum, c) => sum + c.propensity, 0)).toBeCloseTo(1, 10);
  });

  test('a decision among 500 contents takes at most 2 kB of the log, and pages are bounded in bytes', async () => {
    const first = await open();
    const many = Array.from({ length: 500 }, (_, i) => content(`content-with-a-name-${i}`));
    const service = await first.restart({ catalog: catalogFile(first, many) });
    for (let i = 0; i < 3; i++) await decide(service, 'h');
    for (const entry of await log(service)) {
      expect(Buffer.byteLength(JSON.stringify(entry))).toBeLessThan(2048);
      expect(entry.candidates.length + entry.others!.count).toBe(500);
      expect(entry.candidates.map(({ contentId }) => contentId)).toContain(entry.contentId);
      const listed = entry.candidates.reduce((sum, { propensity }) => sum + propensity, 0);
      expect(listed + entry.others!.propensity).toBeCloseTo(1, 10);
    }
    const [row] = await service.deps.store.read((tx) =>
      tx.sql.all<object>('SELECT * FROM decision ORDER BY seq DESC LIMIT 1'),
    );
    expect(Buffer.byteLength(Object.values(row!).join())).toBeLessThan(2048);
    await service.deps.store.write((tx) =>
      tx.sql.run('UPDATE decision SET context = ?', [JSON.stringify({ surface: 'x'.repeat(600_000) })]),
    );
    const page = await service.send<AnswerOf<'listDecisions'>>('GET', '/v1/decisions');
    expect(page.body.decisions).toHaveLength(1);
    expect(page.body.next).toBe('1');
  });

  test('is read by user, content and time, the newest first where asked for', async () => {
    const clock = wallClock('2026-05-01T10:00:00Z');
    const service = await open({ clock });
    for (const user of ['a', 'b', 'a', 'c']) {
      await decide(service, user);
      clock.set(new Date(clock.now() + 60_000).toISOString());
    }
    const entries = await log(service);
    const read = async (query: string) =>
      (await service.send<AnswerOf<'listDecisions'>>('GET', `/v1/decisions?${query}`)).body;
    const users = async (query: string) => (await read(query)).decisions.map(({ hashId }) => hashId);
    expect(await users('hashId=a')).toEqual(['a', 'a']);
    expect(await users('order=newest')).toEqual(['c', 'a', 'b', 'a']);
    const newest = await read('order=newest&limit=3');
    expect(await users(`order=newest&after=${newest.next}`)).toEqual(['a']);
    expect(await users(`since=${entries[1]!.at}&until=${entries[3]!.at}`)).toEqual(['b', 'a']);
    const shown = entries.filter(({ contentId }) => contentId === entries[2]!.contentId);
    expect(await users(`contentId=${entries[2]!.contentId}`)).toEqual(shown.map(({ hashId }) => hashId));
    expect((await service.send('GET', '/v1/decisions?since=yesterday')).status).toBe(400);
  });

  test('pages through the log', async () => {
    const service = await open();
    for (let i = 0; i < 5; i++) await decide(service, `h${i}`);
    const seen: string[] = [];
    let next: string | null = '0';
    while (next !== null) {
      const page: { body: AnswerOf<'listDecisions'> } = await service.send(
        'GET',
        `/v1/decisions?after=${next}&limit=2`,
      );
      seen.push(...page.body.decisions.map((d) => d.hashId));
      next = page.body.next;
    }
    expect(seen).toEqual(['h0', 'h1', 'h2', 'h3', 'h4']);
    expect((await service.send('GET', '/v1/decisions?limit=0')).status).toBe(400);
  });

  test('the best outcome counts, repeats do not, and the model follows', async () => {
    const service = await open();
    const { body } = await decide(service, 'h');
    for (const [type, reward] of [
      ['opened', 0.2],
      ['clicked', 0.6],
      ['opened', 0.6],
      ['actioned', 1],
      ['actioned', 1],
      ['dismissed', 1],
    ] as const) {
      await outcome(service, body.decisionId, type);
      expect((await log(service))[0]!.reward).toBe(reward);
    }
    await expect.poll(() => service.idle(), { timeout: 10_000 }).toBe(true);
    const again = (await decide(service, 'h2')).body;
    expect((await log(service))[1]!.modelVersion).toBeGreaterThan(0);
    const rankings = [again.action, ...again.alternatives].map((a) => [a.contentId, a.ranking] as const);
    const winner = rankings.find(([id]) => id === body.action.contentId);
    if (winner)
      for (const [id, ranking] of rankings) if (id !== winner[0]) expect(winner[1]).toBeGreaterThan(ranking);
  });

  test('where nobody polls a decision counts at once, and may still be corrected within the window', async () => {
    const clock = wallClock('2026-05-01T10:00:00Z');
    const first = await open({ clock });
    const settings = { rewardWindowMinutes: 30 };
    const catalog = catalogFile(first, [content('a'), content('b')], settings);
    const service = await first.restart({ catalog });
    const rewards = async () => (await log(service)).map(({ reward }) => reward);
    const [early, late] = [await decide(service, 'h'), await decide(service, 'h2')];
    expect(await rewards()).toEqual([0, 0]);
    clock.set('2026-05-01T10:29:00Z');
    await outcome(service, early.body.decisionId, 'actioned');
    clock.set('2026-05-01T10:31:00Z');
    expect((await outcome(service, late.body.decisionId, 'actioned')).status).toBe(202);
    expect(await rewards()).toEqual([1, 0]);
  });

  test('where an app polls a decision counts from when it was served', async () => {
    const clock = wallClock('2026-05-01T10:00:00Z');
    const service = await open({ clock });
    expect(await waiting(service, 'someone')).toEqual([]);
    const served = await decide(service, 'h');
    await decide(service, 'never-there');
    const rewards = async () => (await log(service)).map(({ reward }) => reward);
    expect(await rewards()).toEqual([null, null]);
    expect(await waiting(service, 'h')).toHaveLength(1);
    expect(await rewards()).toEqual([0, null]);
    expect(await waiting(service, 'h')).toHaveLength(1);
    await outcome(service, served.body.decisionId, 'clicked');
    expect(await rewards()).toEqual([0.6, null]);
    clock.set('2026-05-09T10:00:00Z');
    await decide(service, 'h');
    expect(await rewards()).toEqual([0.6, null, 0]);
  });

  test('silence lowers what a content is thought to earn, within the same day', async () => {
    const first = await open();
    const catalog = catalogFile(first, [content('ignored', { prior: 0.5 })]);
    const service = await first.restart({ catalog });
    for (let i = 0; i < 40; i++) await decide(service, `h${i}`);
    await expect.poll(() => service.idle(), { timeout: 10_000 }).toBe(true);
    expect((await decide(service, 'next')).body.action.ranking).toBeLessThan(0.1);
  });

  test('a model of an earlier version opens, and decides by what it learned', async () => {
    const first = await open();
    const catalog = catalogFile(first, [content('loved'), content('other')]);
    let service = await first.restart({ catalog });
    await outcome(service, (await decide(service, 'h')).body.decisionId, 'actioned');
    await expect.poll(() => service.idle(), { timeout: 10_000 }).toBe(true);
    const older = { layout: 1, version: 1, actions: [['loved', -2.2, 90, [0], [2], [0.01]]] };
    await service.deps.store.write((tx) => tx.sql.run('UPDATE model SET body = ?', [JSON.stringify(older)]));
    service = await service.restart();
    const { action, alternatives } = (await decide(service, 'h2')).body;
    const rankings = new Map([action, ...alternatives].map((each) => [each.contentId, each.ranking]));
    expect(rankings.get('loved')).toBeGreaterThan(0.75);
    expect(rankings.get('other')).toBeLessThan(0.2);
    expect(service.logged.join()).not.toMatch(/cannot be read/);
  });

  test('a broken model still gives an answer, and learns again from the log', async () => {
    const service = await open();
    const { body } = await decide(service, 'h');
    await outcome(service, body.decisionId, 'actioned');
    await expect.poll(() => service.idle(), { timeout: 10_000 }).toBe(true);
    await service.deps.store.write((tx) => tx.sql.run("UPDATE model SET body = 'garbage'"));
    const opened = await service.restart();
    const answer = await decide(opened, 'h');
    expect(answer.status).toBe(200);
    expect(answer.body.action.type).toBe('in-app-message');
    expect(opened.logged.join()).toMatch(/the learned model cannot be read/);
    await outcome(opened, answer.body.decisionId, 'clicked');
    await expect.poll(() => opened.idle(), { timeout: 10_000 }).toBe(true);
    await decide(opened, 'h');
    const last = (await log(opened)).at(-1)!;
    expect(last.modelVersion).toBeGreaterThan(1);
  });
});

describe('the catalog', () => {
  test('is reloaded when the file changes, and stays if the file becomes invalid', async () => {
    const first = await open();
    const catalog = catalogFile(first, [content('one')]);
    const service = await first.restart({ catalog });
    const chosen = async () => (await decide(service, 'h')).body.action.contentId;
    expect(await chosen()).toBe('one');
    catalogFile(service, [content('two', { prior: 0.2 })]);
    await expect.poll(chosen, { timeout: 10_000 }).toBe('two');
    writeFileSync(catalog, '{"contents": [{}]}');
    await expect
      .poll(() => service.logged.join(), { timeout: 10_000 })
      .toMatch(/contents\[0\]\.contentId is missing/);
    expect(await chosen()).toBe('two');
    const other = await service.restart({ catalog: undefined });
    expect((await decide(other, 'h')).body.action.contentId).toBe('two');
  });

  test('rejects an invalid file at the start with the path of the error', async () => {
    const service = await open();
    const catalog = catalogFile(service, [content('a', { format: 'poster' })]);
    await expect(service.restart({ catalog })).rejects.toThrow(
      'contents[0].format must be one of card, modal, embedded, full-screen',
    );
    await service.restart({ catalog: undefined }).catch(() => undefined);
  });
});

test('rejects data that was encrypted with another key, and names a missing key', async () => {
  const service = await open();
  await identify(service, { userId: 'u1', name: 'Ada' });
  await expect(service.restart({ dataKey: 'ab'.repeat(32) })).rejects.toThrow(/holds another key/);
  await expect(service.restart({ dataKey: 'short' })).rejects.toThrow(/64 hex characters/);
  writeFileSync(`${service.files}.key`, 'damaged');
  await expect(service.restart()).rejects.toThrow(/is damaged/);
});
