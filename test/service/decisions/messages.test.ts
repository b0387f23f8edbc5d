import { describe, expect, test } from 'vitest';
import type { AnswerOf } from '../../../src/contract/endpoints.ts';
import { wallClock } from '../../support/peers/raw-service.ts';
import {
  catalogFile,
  content,
  decide,
  identify,
  open,
  outcome,
  waiting,
} from '../../support/process/decisions-service.ts';

describe('render', () => {
  test('a message is pending until the user responds to it', async () => {
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

  test('a message is in the language of the decision or of its user, else in that of the content', async () => {
    const first = await open();
    const texts = {
      de: { title: 'Deutsch', body: 'd' },
      'pt-BR': { title: 'Brazilian', body: 'b' },
      zh_hant: { title: 'Traditional', body: 't' },
    };
    const service = await first.restart({ catalog: catalogFile(first, [content('one', { texts })]) });
    const titleFor = async (userId: string, own: string | undefined, asked?: string) => {
      const hashId = await identify(service, { userId, ...(own && { locale: own }) });
      await decide(service, hashId, { context: { channel: 'in-app', ...(asked && { locale: asked }) } });
      return (await waiting(service, hashId))[0]!.title;
    };
    expect(await titleFor('a', 'de-AT')).toBe('Deutsch');
    expect(await titleFor('b', 'de-AT', 'pt_br')).toBe('Brazilian');
    expect(await titleFor('c', 'zh-Hant-TW')).toBe('Traditional');
    for (const [user, locale] of [
      ['d', 'pt-PT'],
      ['e', 'fr'],
      ['f', undefined],
    ] as const)
      expect(await titleFor(user, undefined, locale)).toBe(content('one').title);
  });

  test('a message waits for seven days of its user', async () => {
    const clock = wallClock('2026-05-01T10:00:00Z');
    const service = await open({ clock });
    const hashId = await identify(service, { userId: 'u', timeZone: 'Asia/Tokyo' });
    await decide(service, hashId);
    clock.set('2026-05-07T14:59:30Z');
    expect(await waiting(service, hashId)).toHaveLength(1);
    clock.set('2026-05-07T15:00:10Z');
    expect(await waiting(service, hashId)).toEqual([]);
  });

  test('a poll serves messages for the surface, and withdraws recalled and ineligible ones', async () => {
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
    await expect.poll(async () => (await chosen(at('in-app', 'home', 'two'))).reason).not.toMatch(/Warning/);
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
    await expect.poll(() => on('home')).toEqual([]);
  });

  test('a poll withdraws a message that is no longer written for the locale of its decision', async () => {
    const first = await open();
    const service = await first.restart({ catalog: catalogFile(first, [content('a')]) });
    const [german, british] = [
      await identify(service, { userId: 'de', locale: 'de_AT' }),
      await identify(service, { userId: 'en' }),
    ];
    await waiting(service, 'somebody');
    await decide(service, german, { context: { channel: 'in-app' } });
    await decide(service, british, { context: { locale: 'en-GB' } });
    catalogFile(service, [content('a', { locales: ['en'] })]);
    await expect.poll(() => waiting(service, german)).toEqual([]);
    expect(await waiting(service, british)).toHaveLength(1);
  });

  test('a content that is only for notifications is no card, even if the request names no channel', async () => {
    const first = await open();
    const catalog = catalogFile(first, [
      content('sms', { channels: ['sms', 'push'], category: 'notifications' }),
      content('both', { channels: ['sms', 'in-app'] }),
    ]);
    const service = await first.restart({ catalog });
    const on = { context: { surface: 'home' } };
    const { action, alternatives } = (await decide(service, 'h', on)).body;
    const types = [action, ...alternatives].map(({ contentId, type }) => [contentId, type]);
    expect(types.sort()).toEqual([
      ['both', 'in-app-message'],
      ['sms', 'sms'],
    ]);
    const excluding = (category: string) => ({ ...on, guardrails: { excludeCategories: [category] } });
    expect((await decide(service, 'h2', excluding('any'))).body.action).toMatchObject({ type: 'sms' });
    expect(await waiting(service, 'h2')).toEqual([]);
    await decide(service, 'h2', excluding('notifications'));
    expect(await waiting(service, 'h2')).toMatchObject([{ contentId: 'both' }]);
  });

  test('peeking at messages serves, counts and withdraws none of them', async () => {
    const first = await open();
    const pro = { eligibility: { traits: [{ trait: 'plan', equals: 'pro' }] } };
    const service = await first.restart({ catalog: catalogFile(first, [content('a', pro)]) });
    const hashId = await identify(service, { userId: 'u', traits: { plan: 'pro' } });
    await waiting(service, 'somebody');
    const { body } = await decide(service, hashId);
    const peek = async (query = '', of = hashId) =>
      (await service.send<AnswerOf<'peekMessages'>>('GET', `/v1/users/${of}/messages${query}`)).body.messages;
    const counted = async () =>
      (await service.send<AnswerOf<'getDecision'>>('GET', `/v1/decisions/${body.decisionId}`)).body.reward;
    expect(await peek()).toMatchObject([{ decisionId: body.decisionId, contentId: 'a', servedAt: null }]);
    expect(await peek('?surface=home')).toHaveLength(1);
    expect(await peek('?surface=cart')).toEqual([]);
    expect(await peek('', 'other')).toEqual([]);
    expect(await counted()).toBeNull();

    await identify(service, { userId: 'u', traits: { plan: 'free' } });
    expect(await peek()).toEqual([]);
    await identify(service, { userId: 'u', traits: { plan: 'pro' } });
    expect(await peek()).toHaveLength(1);
    expect(await waiting(service, hashId)).toHaveLength(1);
    expect(await counted()).toBe(0);
    const [served] = await peek();
    expect(Date.parse(served!.servedAt!)).toBeGreaterThan(0);
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
    await expect.poll(newCatalog).toBe('c');
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
