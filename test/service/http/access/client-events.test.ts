import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createWorkspace, updateWorkspace } from '../../../../src/service/admin/accounts.ts';
import { userToken } from '../../../../src/service/http/access/user-token.ts';
import { reasonOf, withClients } from '../../../support/process/clients.ts';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
const event = (userId = 'ada', more: object = {}) => ({
  userId,
  event: 'cart_opened',
  timestamp: ago(0),
  ...more,
});

/** What is stored, by what the live stream would send. */
async function withTracking(options: Parameters<typeof withClients>[0] = {}) {
  const clients = await withClients(options);
  const { service, ada, tokenFor, app } = clients;
  const token = await tokenFor(ada);
  const track = (events: unknown, sent: string | undefined = token, headers: Record<string, string> = {}) =>
    app('/v1/events', sent, { body: { events }, headers });
  const stored = async () => {
    const rows = await service.platform.store.read((tx) =>
      tx.sql.all<{ userId: string; event: string; origin: string | null }>(
        'SELECT user_id AS "userId", event, origin FROM event WHERE workspace_id = ? ORDER BY number',
        [service.workspace],
      ),
    );
    return rows.map(({ userId, event, origin }) => `${userId} ${event} ${origin}`);
  };
  return { ...clients, token, track, stored };
}

it('an app tracks the events of its own user, marked as those of a client', async () => {
  const { service, track, stored } = await withTracking();
  const answer = await track([event(), event('ada', { properties: { n: 1 }, eventId: 'e1' })]);
  expect([answer.status, await answer.json()]).toMatchObject([202, { accepted: 2, duplicates: 0 }]);
  expect(answer.headers.get('x-service-ratelimit-limit')).toBe('60');
  await service.fetch('/v1/events', { body: { events: [event('ada'), event('bo', { eventId: 'e2' })] } });
  expect((await (await track([event('ada', { eventId: 'e1' })])).json()) as object).toMatchObject({
    accepted: 1,
    duplicates: 1,
  });
  expect(await stored()).toEqual([
    'ada cart_opened client',
    'ada cart_opened client',
    'ada cart_opened null',
    'bo cart_opened null',
  ]);
});

it('the ids of an app are those of its user: it cannot take the id of an event that a server sends', async () => {
  const { service, bo, app, tokenFor, track, stored } = await withTracking();
  const order = (userId: string, ids: readonly string[]) => ids.map((eventId) => event(userId, { eventId }));
  const duplicates = async (answer: Response) => ((await answer.json()) as { duplicates: number }).duplicates;
  const other = await tokenFor(bo);
  expect(await duplicates(await track(order('ada', ['o1', 'ü2', 'o1'])))).toBe(1);
  expect(
    await duplicates(await app('/v1/events', other, { body: { events: order('bo', ['o1', 'ü2']) } })),
  ).toBe(0);
  const sent = await service.fetch('/v1/events', { body: { events: order('bo', ['o1', 'ü2']) } });
  expect(await duplicates(sent)).toBe(0);
  expect(await stored()).toHaveLength(6);
});

it('an event of another user refuses the request, wherever it is in the batch', async () => {
  const { track, stored } = await withTracking();
  await fc.assert(
    fc.asyncProperty(fc.nat(4), fc.constantFrom('bo', 'ADA', 'ada ', 'Ada'), async (at, userId) => {
      const events = Array.from({ length: 5 }, (_, i) => event(i === at ? userId : 'ada'));
      const answer = await track(events);
      expect([answer.status, await reasonOf(answer)]).toEqual([403, 'The user token is of another user.']);
    }),
    { numRuns: 10 },
  );
  expect(await stored()).toEqual([]);
});

it('a token that is forged, expired, missing or of another workspace tracks nothing', async () => {
  const { service, ada, token, track, stored } = await withTracking();
  const { store, cipher } = service.platform;
  await createWorkspace(store, 'other', 'test');
  const [, claims = '', mac = ''] = /^ut_(.+)\.(.+)$/.exec(token) ?? [];
  const later = Buffer.from(`9${Buffer.from(claims, 'base64url')}`).toString('base64url');
  const renamed = Buffer.from(`${Buffer.from(claims, 'base64url')}\0bo`).toString('base64url');
  for (const [sent, reason] of [
    ['', /needs a user token|not valid/],
    [`ut_${later}.${mac}`, /not valid/],
    [`ut_${renamed}.${mac}`, /not valid/],
    [userToken(cipher, 'other', ada, Date.now()).token, /not valid/],
    [userToken(cipher, service.workspace, ada, Date.now() - DAY).token, /has expired/],
  ] as const) {
    const answer = await track([event()], sent);
    expect([answer.status, await reasonOf(answer)]).toEqual([401, expect.stringMatching(reason)]);
  }
  expect(await stored()).toEqual([]);
});

it('bounds events, bytes and times, and says which events are wrong', async () => {
  const { track, stored } = await withTracking();
  const of = (...timestamps: string[]) => timestamps.map((timestamp) => event('ada', { timestamp }));
  const many = await track(Array.from({ length: 51 }, () => event()));
  expect([many.status, await many.json()]).toMatchObject([400, { details: [{ field: 'events' }] }]);
  for (const text of ['x'.repeat(64 * 1024), 'x'.repeat(1024 * 1024)]) {
    const large = await track([event('ada', { properties: { text } })]);
    expect([large.status, await reasonOf(large)]).toEqual([413, 'The body is larger than 64 KiB.']);
  }
  const late = await track(of(ago(7 * DAY + MINUTE), ago(0), ago(-6 * MINUTE)));
  expect([late.status, await late.json()]).toMatchObject([
    400,
    {
      details: [
        { index: 0, field: 'timestamp', message: 'is more than 7 days ago' },
        { index: 2, field: 'timestamp', message: 'is more than 5 minutes ahead' },
      ],
    },
  ]);
  expect(await stored()).toEqual([]);
  expect((await track(of(ago(7 * DAY - MINUTE), ago(-4 * MINUTE)))).status).toBe(202);
  expect((await track(Array.from({ length: 50 }, () => event()))).status).toBe(202);
  // A server may.
  expect(await stored()).toHaveLength(52);
});

it('a server is bound by none of it', async () => {
  const { service } = await withTracking();
  const old = event('bo', { timestamp: ago(400 * DAY), properties: { text: 'x'.repeat(100_000) } });
  const answer = await service.fetch('/v1/events', {
    body: { events: Array.from({ length: 51 }, () => old) },
  });
  expect(answer.status).toBe(202);
});

it('a workspace may name the events that apps track, and their properties', async () => {
  const { service, track, stored } = await withTracking();
  const { store } = service.platform;
  const named = { cart_opened: null, purchase: ['amount'], logout: [] };
  await updateWorkspace(store, service.workspace, { clientEvents: named });
  // Settings that a later change leaves out stay.
  await updateWorkspace(store, service.workspace, { origins: ['*'] });
  const of = (name: string, properties?: object) => event('ada', { event: name, properties });
  expect(
    (await track([of('cart_opened', { any: 1 }), of('purchase', { amount: 1 }), of('logout')])).status,
  ).toBe(202);
  const refused = await track([
    of('purchase'),
    of('refund'),
    of('purchase', { amount: 1, coupon: 'x' }),
    of('logout', { a: 1 }),
    of('toString'),
  ]);
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    {
      details: [
        { index: 1, field: 'event' },
        { index: 2, field: 'properties.coupon' },
        { index: 3, field: 'properties.a' },
        { index: 4, field: 'event' },
      ],
    },
  ]);
  expect(await stored()).toHaveLength(3);
  expect((await service.fetch('/v1/events', { body: { events: [of('refund')] } })).status).toBe(202);
  await updateWorkspace(store, service.workspace, { clientEvents: null });
  expect((await track([of('refund', { any: 1 })])).status).toBe(202);
});

it('a repeated request is answered again, for its own user alone', async () => {
  const { service, bo, tokenFor, track, stored } = await withTracking();
  const key = { 'idempotency-key': 'k1' };
  const [first, second] = [await track([event()], undefined, key), await track([event()], undefined, key)];
  expect([first.status, second.status]).toEqual([202, 409]);
  const body = [event('ada', { timestamp: ago(MINUTE) })];
  const again = { 'idempotency-key': 'k2' };
  const replies = [await track(body, undefined, again), await track(body, undefined, again)];
  expect(replies.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
  expect((await track([event('bo')], await tokenFor(bo), key)).status).toBe(202);
  expect((await service.fetch('/v1/events', { body: { events: [event()] }, headers: key })).status).toBe(202);
  expect(await stored()).toHaveLength(4);
});

it('an app in a loop is stopped by the limits of clients, and leaves those of the workspace alone', async () => {
  const { service, track, stored } = await withTracking({
    limits: { ingest: 10 },
    clientLimits: { user: 20 },
  });
  const batch = Array.from({ length: 50 }, () => event());
  // 10,000 events.
  const statuses = [];
  for (let i = 0; i < 200; i++) statuses.push((await track(batch)).status);
  expect(statuses.filter((status) => status === 202)).toHaveLength(20);
  expect(new Set(statuses.slice(20))).toEqual(new Set([429]));
  expect(await stored()).toHaveLength(1000);
  const server = await service.fetch('/v1/events', { body: { events: [event()] } });
  // Two requests of this test made users and a token.
  expect([server.status, server.headers.get('x-service-ratelimit-remaining')]).toEqual([202, '7']);
});

it('an open test workspace tracks events of any user without a token, still marked', async () => {
  const { service, app, stored } = await withTracking();
  await updateWorkspace(service.platform.store, service.workspace, { openClients: true });
  const answer = await app('/v1/events', undefined, { body: { events: [event('bo')] } });
  expect(answer.status).toBe(202);
  expect(await stored()).toEqual(['bo cart_opened client']);
});

it('a token says its userId to the app, if it is that of its hashId', async () => {
  const { service, ada, bo, tokenFor, track } = await withTracking();
  const token = await tokenFor(ada, service, { userId: 'ada' });
  const [, claims = ''] = /^ut_(.+)\./.exec(token) ?? [];
  expect(Buffer.from(claims, 'base64url').toString().replace(/^\d+/, '')).toBe(`.${ada}\0ada`);
  expect((await track([event()], token)).status).toBe(202);
  expect((await track([event('bo')], token)).status).toBe(403);
  const wrong = await service.fetch(`/v1/users/${bo}/tokens`, { body: { userId: 'ada' } });
  expect([wrong.status, await wrong.json()]).toMatchObject([400, { details: [{ field: 'userId' }] }]);
});

it('streams and filters know the origin', async () => {
  const { service, track } = await withTracking();
  await track([event()]);
  await service.fetch('/v1/events', {
    body: { events: [event('ada', { event: 'paid', properties: { origin: 'x' } })] },
  });
  const read = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await service.fetch(path, { headers });
    let text = '';
    for await (const chunk of answer.body!) {
      text += Buffer.from(chunk).toString();
      if (text.includes('event: event')) break;
    }
    return /event: event\ndata: (.*)/.exec(text)![1]!;
  };
  const watched = (filter: string) => read(`/v1/events/watch?after=0&filter=${encodeURIComponent(filter)}`);
  expect(JSON.parse(await read('/v1/events/stream', { 'last-event-id': '0' }))).toMatchObject({
    origin: 'client',
  });
  expect(JSON.parse(await watched('origin:client'))).toMatchObject({
    event: 'cart_opened',
    origin: 'client',
  });
  expect(JSON.parse(await watched('origin:server'))).toMatchObject({ event: 'paid', origin: 'server' });
  expect(JSON.parse(await watched('-origin:client'))).toMatchObject({ event: 'paid' });
  expect(JSON.parse(await watched('properties.origin:x'))).toMatchObject({ event: 'paid' });
});
