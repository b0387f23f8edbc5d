import { expect, test } from 'vitest';
import type { AnswerOf } from '../../../src/contract/endpoints.ts';
import { workspaces } from '../../../src/service/platform/store/workspaces.ts';
import { addressHash } from '../../../src/service/users/address-hash.ts';
import { addresses } from '../../../src/service/users/store/addresses.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';
import { advance } from '../../support/process/test-clock.ts';

const HOUR_MS = 3_600_000;

const read = async (service: TestService, query = '') => {
  const answer = await service.fetch(`/v1/users${query}`);
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  return JSON.parse(text) as AnswerOf<'listUsers'>;
};
const list = async (service: TestService, query = '') => (await read(service, query)).users;
const send = async (service: TestService, path: string, body: unknown) => {
  const answer = await service.fetch(path, { body });
  expect(answer.status, await answer.clone().text()).toBeLessThan(300);
  return (await answer.json()) as Record<string, unknown>;
};
const store = async (service: TestService, users: readonly object[]) =>
  ((await send(service, '/v1/users', { users })).users as { hashId: string }[]).map(({ hashId }) => hashId);
const track = (service: TestService, userId: string, n: number) =>
  send(service, '/v1/events', {
    events: new Array(n).fill({
      userId,
      event: 'viewed',
      timestamp: new Date(service.platform.clock.now()).toISOString(),
    }),
  });

test('users are listed by what was last of them, whatever that was, with what is known of them', async () => {
  const service = await startTestService({ testClock: true });
  expect(await list(service)).toEqual([]);
  const [a, b, c] = await store(service, [
    { userId: 'a', locale: 'de-DE' },
    { userId: 'b', name: 'Ada Lovelace' },
    { userId: 'c' },
  ]);
  await advance(service, HOUR_MS);
  await track(service, 'b', 3);
  await track(service, 'only-events', 2);
  await advance(service, HOUR_MS);
  const begin = new Date(service.platform.clock.now()).toISOString();
  await send(service, '/v1/decisioning/decide', { hashId: a, context: { surface: 'home' } });
  const users = await list(service);
  expect(users[0]).toMatchObject({ hashId: a, locale: 'de-DE', last: 'decision', events: 0, decisions: 1 });
  expect(users.find(({ hashId }) => hashId === b)).toMatchObject({ last: 'event', events: 3, locale: null });
  expect(users.find(({ events }) => events === 2)).toMatchObject({ last: 'event', decisions: 0 });
  expect(users.filter(({ channels }) => channels === undefined).map(({ events }) => events)).toEqual([2]);
  expect(users.at(-1)).toMatchObject({ hashId: c, last: 'profile', events: 0, decisions: 0 });
  expect(users.map(({ lastAt }) => lastAt)).toEqual(
    users
      .map(({ lastAt }) => lastAt)
      .sort()
      .reverse(),
  );
  // Nothing personal.
  expect(JSON.stringify(users)).not.toMatch(/Ada|only-events|"[abc]"/);
  expect((await list(service, `?since=${begin}`)).map(({ hashId }) => hashId)).toEqual([a]);
  const none = { byEvents: 0, byDecisions: 0, byChanges: 0, capped: false };
  expect((await read(service)).active).toEqual({ ...none, byEvents: 2, byDecisions: 1, byChanges: 3 });
  expect((await read(service, `?since=${begin}`)).active).toEqual({ ...none, byDecisions: 1 });
  expect((await read(service, `?until=${begin}`)).active).toEqual({ ...none, byEvents: 2, byChanges: 3 });
  const before = await list(service, `?until=${begin}`);
  expect(before).toHaveLength(4);
  expect(before.find(({ hashId }) => hashId === a)).toMatchObject({ last: 'profile' });
});

const pagesOf = async (service: TestService) => {
  const pages = [];
  for (let after = ''; after !== undefined; ) {
    const { users, next } = await read(service, after && `?after=${after}`);
    pages.push(users.map(({ hashId }) => hashId));
    after = next!;
  }
  return pages;
};

test('users are listed with the event, the decision or the outcome that was last of them', async () => {
  const service = await startTestService({ testClock: true });
  const [a, b, c] = await store(service, [{ userId: 'a' }, { userId: 'b' }, { userId: 'c' }]);
  const decide = async (hashId: string | undefined) =>
    (await send(service, '/v1/decisioning/decide', { hashId, context: { channel: 'in-app' } })).decisionId;
  const answered = await decide(a);
  await decide(b);
  const { decisions } = (await (await service.fetch(`/v1/decisions`)).json()) as {
    decisions: { hashId: string; contentId: string }[];
  };
  const contentOf = (hashId: string | undefined) =>
    decisions.find((decision) => decision.hashId === hashId)!.contentId;
  await advance(service, HOUR_MS);
  await send(service, `/v1/messages/${String(answered)}/outcomes`, { type: 'clicked' });
  await track(service, 'only-events', 1);
  await advance(service, HOUR_MS);
  const users = await list(service, '?active=true');
  // Without the one who was only stored.
  expect(users.map(({ hashId }) => hashId)).not.toContain(c);
  expect(users).toHaveLength(3);
  const of = (hashId: string | undefined) => users.find((user) => user.hashId === hashId);
  expect(of(a)).toMatchObject({ last: 'outcome', outcome: 'clicked', contentId: contentOf(a) });
  expect(of(b)).toMatchObject({ last: 'decision', contentId: contentOf(b) });
  expect(users.find(({ last }) => last === 'event')).toMatchObject({ event: 'viewed', events: 1 });
  expect((await list(service)).map(({ hashId }) => hashId)).toContain(c);
  expect((await service.fetch('/v1/users?active=no')).status).toBe(400);
});

test('at most 100 of many users are on a page, and each is on one, also of those who came at once', async () => {
  const service = await startTestService({ testClock: true });
  for (let from = 0; from < 3000; from += 1000)
    await store(
      service,
      Array.from({ length: 1000 }, (_, i) => ({ userId: `u${from + i}` })),
    );
  const pages = await pagesOf(service);
  expect(Math.max(...pages.map(({ length }) => length))).toBe(100);
  expect(pages.flat()).toHaveLength(3000);
  expect(new Set(pages.flat()).size).toBe(3000);
  expect((await service.fetch('/v1/users?after=1.x')).status).toBe(200);
  expect((await service.fetch('/v1/users?after=x')).status).toBe(400);
});

test('users whose events are older than many of one user are on a later page', async () => {
  const service = await startTestService({ testClock: true });
  await track(service, 'early', 1);
  await advance(service, HOUR_MS);
  for (let i = 0; i < 5; i++) await track(service, 'chatty', 500);
  await advance(service, HOUR_MS);
  const pages = await pagesOf(service);
  expect(pages[0]).toHaveLength(1);
  expect(new Set(pages.flat()).size).toBe(2);
});

test('users are listed with the channels that reach them, and with what they refuse', async () => {
  const service = await startTestService();
  const [a, b, c] = await store(service, [
    {
      userId: 'a',
      phone: '+447700900777',
      emails: [],
      traits: { email: 'a@example.org' },
      optOut: ['email/news', 'sms'],
    },
    {
      userId: 'b',
      emails: ['b@example.org'],
      devices: [{ channel: 'push', token: 'token-of-b' }],
      optIn: ['*'],
    },
    { userId: 'c', emails: [], phones: [] },
  ]);
  const of = async (hashId: string | undefined) => {
    const found = (await list(service)).find((user) => user.hashId === hashId)!;
    return { channels: [...found.channels!].sort(), optOut: found.optOut };
  };
  expect(await of(a)).toEqual({ channels: ['email', 'sms', 'whatsapp'], optOut: ['sms', 'email/news'] });
  expect(await of(b)).toEqual({ channels: ['email', 'push'], optOut: [] });
  expect(await of(c)).toEqual({ channels: [], optOut: [] });
  await service.platform.store.write(async (tx) => {
    const key = await workspaces.hashKey(tx, service.workspace);
    const hash = addressHash(key, 'email', 'b@example.org');
    await addresses.suppress(tx, service.workspace, 'email', hash, 'bounce');
  });
  expect(await of(b)).toEqual({ channels: ['push'], optOut: [] });
});
