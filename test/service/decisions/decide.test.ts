import { describe, expect, test } from 'vitest';
import type { AnswerOf } from '../../../src/contract/endpoints.ts';
import { rawService, wallClock } from '../../support/peers/raw-service.ts';
import {
  catalogFile,
  content,
  DECIDE,
  decide,
  identify,
  log,
  open,
  outcome,
  waiting,
} from '../../support/process/decisions-service.ts';

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

  test('keeps the cap under 32 concurrent requests, also for an unknown hashId', async () => {
    const service = await open();
    const answers = await Promise.all(
      Array.from({ length: 32 }, () => decide(service, 'h', { guardrails: { maxDailyContacts: 5 } })),
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

  test('applies rules on traits and recent events', async () => {
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

  test('counts events that are older than the rule, each once', async () => {
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

  test('is repeatable with a seed, also after a restart on new data', async () => {
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

describe('features of a user', () => {
  const SECRETS = ['ruby-tier', 'Ada Lovelace', '+4930123456', 'ada@example.org', 'ward-7'];

  test('affect decisions, are stored in plain text nowhere, and are gone with the user', async () => {
    const first = await open();
    const catalog = catalogFile(first, [content('only')]);
    const service = await first.restart({ catalog });
    const traits = { tier: 'ruby-tier', email: 'ada@example.org', fullName: 'Ada Lovelace' };
    const context = { surface: 'home', ward: 'ward-7' };
    const named = (i: number) => identify(service, { userId: `u${i}`, phone: '+4930123456', traits });
    for (let i = 0; i < 12; i++) {
      const other = await identify(service, { userId: `other${i}`, traits: { tier: 'basic' } });
      await outcome(
        service,
        (await decide(service, await named(i), { context })).body.decisionId,
        'actioned',
      );
      await decide(service, other, { context });
    }
    await expect.poll(() => service.idle()).toBe(true);
    const hashId = await named(99);
    const { decisionId, action } = (await decide(service, hashId, { context })).body;
    expect(action.reason).toMatch(/trait tier speaks for it/);
    const one = async () =>
      (await service.send<AnswerOf<'getDecision'>>('GET', `/v1/decisions/${decisionId}`)).body;
    const { explanation } = await one();
    expect(explanation).toMatchObject({ winner: 'only', runnerUp: null, change: null });
    expect(explanation!.effects).toContainEqual(
      expect.objectContaining({ feature: 'trait tier', value: 'ruby-tier' }),
    );
    expect(JSON.stringify(explanation)).not.toMatch(/Ada|ada@|4930|e-?mail|fullName/);
    const kept = async () =>
      service.platform.store.read(async (tx) =>
        JSON.stringify([
          await tx.sql.all('SELECT body FROM model_piece'),
          await tx.sql.all('SELECT * FROM decision'),
          await tx.sql.all('SELECT * FROM reward'),
        ]),
      );
    expect(await kept()).toContain('home');
    for (const secret of SECRETS)
      expect([(await kept()).includes(secret), action.reason.includes(secret)]).toEqual([false, false]);
    expect((await log(service)).at(-1)!.context).toEqual({ surface: 'home' });
    expect((await service.send('DELETE', `/v1/users/${hashId}`)).status).toBe(200);
    expect(await one()).toMatchObject({ hashId: '', contentId: 'only' });
    expect(await one()).not.toHaveProperty('explanation');
  });

  test('events of a user affect decisions, new ones and those from before a restart', async () => {
    const first = await open();
    const catalog = catalogFile(first, [content('only')]);
    let service = await first.restart({ catalog });
    const buyer = async (i: number) => {
      const hashId = await identify(service, { userId: `buyer${i}` });
      const event = { userId: `buyer${i}`, event: 'purchase', timestamp: new Date().toISOString() };
      await service.send('POST', '/v1/events', { events: [event, event, event] });
      return hashId;
    };
    const early = await buyer(99);
    for (let i = 0; i < 12; i++) {
      await outcome(service, (await decide(service, await buyer(i))).body.decisionId, 'actioned');
      await decide(service, await identify(service, { userId: `other${i}` }));
      if (i === 5) {
        await expect.poll(() => service.idle()).toBe(true);
        service = await service.restart();
      }
    }
    await expect.poll(() => service.idle()).toBe(true);
    expect((await decide(service, early)).body.action.reason).toMatch(
      /the (last purchase|number of purchase events) speaks for it/,
    );
    const other = await identify(service, { userId: 'other' });
    expect((await decide(service, other)).body.action.reason).not.toMatch(/purchase/);
  });

  test('refuses a context that is not flat', async () => {
    const service = await open();
    const { status } = await decide(service, 'h', { context: { cart: { items: 3 } } });
    expect(status).toBe(400);
  });
});
