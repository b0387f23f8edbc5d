import { expect, it, vi } from 'vitest';
import { openWatch } from '../../../support/events/watch.ts';
import { startTestService, type TestService } from '../../../support/process/service.ts';

const event = (userId: string, properties: object | string = {}, name = 'e') =>
  `{"userId":${JSON.stringify(userId)},"event":"${name}","timestamp":"2026-01-01T00:00:00Z","properties":${
    typeof properties === 'string' ? properties : JSON.stringify(properties)
  }}`;
const ingest = async (service: TestService, ...events: string[]) => {
  for (let from = 0; from < events.length; from += 1000) {
    const raw = `{"events":[${events.slice(from, from + 1000).join(',')}]}`;
    expect((await service.fetch('/v1/events', { raw })).status).toBe(202);
  }
};
const hashOfUser = async (service: TestService, userId: string) => {
  const answer = await service.fetch('/v1/users', { body: { users: [{ userId }] } });
  return ((await answer.json()) as { users: { hashId: string }[] }).users[0]!.hashId;
};
const users = (events: readonly { userId: string }[]) => events.map(({ userId }) => userId);

it('begins at the newest event, shows what comes as it was sent, and counts it', async () => {
  const service = await startTestService();
  await ingest(service, event('before'));
  const watch = await openWatch(service);
  expect(watch.frames).toEqual([{ type: 'ready', next: '1' }]);
  await ingest(service, event('u1', '{"n":12345678901234567890,\n"x":1.50,"ok":true,"text":"a \\"b\\""}'));
  await watch.until(() => watch.counts().received === 1);
  // Without those of a second in which nothing came.
  const frames = watch.frames.filter((frame) => frame.type !== 'tick' || frame.received > 0);
  expect(frames[1]).toMatchObject({
    type: 'event',
    id: '2',
    userId: 'u1',
    hashId: await hashOfUser(service, 'u1'),
    event: 'e',
    timestamp: '2026-01-01T00:00:00Z',
    receivedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    properties: { x: 1.5, ok: true, text: 'a "b"' },
  });
  expect(frames[2]).toMatchObject({ type: 'tick', received: 1, matched: 1, shown: 1, next: '2' });
  await watch.cancel();
});

it('keeps the spelling of numbers', async () => {
  const service = await startTestService();
  const answer = await service.fetch('/v1/events/watch?after=0');
  await ingest(service, event('u1', '{"n":12345678901234567890,"x":1.50}'));
  let text = '';
  for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (/^event: event\n.*\n\n/m.test(text)) break;
  }
  expect(text).toContain('"properties":{"n":12345678901234567890,"x":1.50}');
});

it.each([
  ['user:u2', ['u2']],
  ['user:u2,u3', ['u2', 'u3']],
  ['-user:u2,u3', ['u1', 'u4']],
  ['event:sale', ['u3', 'u4']],
  ['event:sale -source:web', ['u4']],
  ['amount>100', ['u2', 'u4']],
  ['amount>=100 amount<250', ['u1', 'u2']],
  ['amount:100', ['u1']],
  ['source:web', ['u1', 'u3']],
  ['source:"two words"', ['u4']],
  ['a.b:deep', ['u2']],
  ['words', ['u4']],
  ['-web', ['u2', 'u4']],
  ['escaped:quote"', undefined],
  ['escaped:"a\\"b"', ['u3']],
  ['naïve:ja', ['u1']],
  ['big:12345678901234567890', ['u2']],
  ['big:12345678901234567891', []],
  ['properties.user:inner', ['u4']],
  ['retryable:true', ['u2']],
])('filters by %s', async (filter, expected) => {
  const service = await startTestService();
  await ingest(
    service,
    event('u1', '{"amount":1e2,"source":"web","na\\u00efve":"ja"}'),
    event('u2', '{"amount":200.5,"source":"ios","a.b":"deep","big":12345678901234567890,"retryable":true}'),
    event('u3', { source: 'web', escaped: `a"b`, amount: 'many' }, 'sale'),
    event('u4', { amount: 300, source: 'two words', user: 'inner' }, 'sale'),
  );
  if (!expected) {
    const refused = await service.fetch(`/v1/events/watch?filter=${encodeURIComponent(filter)}`);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      details: [{ field: 'filter', message: expect.stringMatching(/at character \d+/) }],
    });
    return;
  }
  const watch = await openWatch(service, { filter, after: '0' });
  await watch.until(() => watch.counts().received === 4);
  expect(users(watch.events())).toEqual(expected);
  expect(watch.counts()).toEqual({
    received: 4,
    matched: expected.length,
    shown: expected.length,
    untested: 0,
  });
  await watch.cancel();
});

it('finds a user by the hashId, alone and beside userIds', async () => {
  const service = await startTestService();
  await ingest(service, event('u1'), event('u2'), event('u3', {}, 'sale'));
  const hashId = await hashOfUser(service, 'u2');
  for (const [filter, expected] of [
    [`user:${hashId}`, ['u2']],
    [`user:u1,${hashId}`, ['u1', 'u2']],
    [`-user:${hashId}`, ['u1', 'u3']],
    [`event:sale user:${hashId}`, []],
    [`user:${'a'.repeat(64)}`, []],
  ] as const) {
    const watch = await openWatch(service, { filter, after: '0' });
    await watch.until(() => watch.counts().received === 3);
    expect([filter, users(watch.events())]).toEqual([filter, expected]);
    await watch.cancel();
  }
});

it('masks what looks personal, which the filter does not find', async () => {
  const service = await startTestService();
  const secret = {
    email: 'ann@example.com',
    note: 'call +49 151 23456789',
    n: 4111111111111111,
    'bob@example.com': 1,
    plain: 'yes',
  };
  await ingest(service, event('carl@example.com', secret), event('u2'));
  const watch = await openWatch(service, { after: '0' });
  await watch.until(() => watch.events().length === 2);
  expect(watch.events()[0]).toMatchObject({
    userId: '***',
    properties: { email: '***', note: '***', n: '***', '***': '***', plain: 'yes' },
  });
  expect(JSON.stringify(watch.frames)).not.toMatch(/example\.com|23456789|4111/);
  await watch.cancel();
  for (const filter of ['email:ann@example.com', '23456789', 'n>4000000000000000', 'bob@example.com']) {
    const sought = await openWatch(service, { filter, after: '0' });
    await sought.until(() => sought.counts().received === 2);
    expect(sought.counts().matched, filter).toBe(0);
    await sought.cancel();
  }
});

it('shows no more than its bounds a second, and counts the rest', async () => {
  const service = await startTestService();
  const watch = await openWatch(service);
  await ingest(service, ...Array.from({ length: 3000 }, (_, i) => event(`u${i}`)));
  await watch.until(() => watch.counts().received === 3000);
  const { matched, shown, untested } = watch.counts();
  expect({ matched, untested }).toEqual({ matched: 3000, untested: 0 });
  expect(shown).toBe(watch.events().length);
  expect(shown).toBeGreaterThanOrEqual(100);
  expect(shown).toBeLessThan(3000);
  await watch.cancel();
});

it('shows a rare match among many others', async () => {
  const service = await startTestService();
  const watch = await openWatch(service, { filter: 'marker:m7 amount>10' });
  const events = Array.from({ length: 5000 }, (_, i) =>
    event(`u${i}`, { amount: i, ...(i === 4321 ? { marker: 'm7' } : {}) }),
  );
  await ingest(service, ...events);
  await watch.until(() => watch.counts().received === 5000);
  expect(users(watch.events())).toEqual(['u4321']);
  expect(watch.counts()).toEqual({ received: 5000, matched: 1, shown: 1, untested: 0 });
  await watch.cancel();
});

it('resumes without a gap or a double across a restart, with more than 256 KiB of matches between', async () => {
  const first = await startTestService();
  const watch = await openWatch(first, { filter: 'wanted:yes' });
  const wanted = (i: number) => event(`u${i}`, { wanted: i % 2 === 0 ? 'yes' : 'no', pad: 'x'.repeat(1000) });
  await ingest(first, ...Array.from({ length: 10 }, (_, i) => wanted(i)));
  await watch.until(() => watch.events().length === 5);
  const after = watch.lastId();
  await first.close(0);
  await watch.ended();
  const second = await startTestService({ database: first.database });
  await ingest(second, ...Array.from({ length: 3000 }, (_, i) => wanted(10 + i)));
  const resumed = await openWatch(second, { filter: 'wanted:yes' }, { 'last-event-id': after });
  await resumed.until(() => resumed.counts().received >= 3000);
  expect(users([...watch.events(), ...resumed.events()])).toEqual(
    Array.from({ length: 1505 }, (_, i) => `u${2 * i}`),
  );
  await resumed.cancel();
});

it('says which events are gone', async () => {
  const service = await startTestService();
  await ingest(service, event('u1'), event('u2'), event('u3'));
  await service.platform.store.write((tx) =>
    tx.sql.run('DELETE FROM event WHERE workspace_id = ? AND number < 3', [service.workspace]),
  );
  const watch = await openWatch(service, { after: '0' });
  await watch.until(() => watch.events().length === 1);
  expect(watch.frames.slice(0, 2)).toEqual([
    { type: 'ready', next: '0' },
    { type: 'gap', from: '1', to: '2', reason: 'removed' },
  ]);
  await watch.cancel();
  const replaced = await openWatch(service, { after: '4711' });
  await replaced.until(() => replaced.events().length === 1);
  expect(replaced.frames).toContainEqual({ type: 'gap', from: '1', to: '4711', reason: 'reset' });
  await replaced.cancel();
});

it('filters an event whose properties exceed a page, and leaves them out', async () => {
  const service = await startTestService();
  const long = { long: 'é'.repeat(400_000), wanted: 'yes' };
  await ingest(service, event('u1', long), event('u2', { wanted: 'no' }));
  const watch = await openWatch(service, { filter: 'wanted:yes', after: '0' });
  await watch.until(() => watch.counts().received === 2);
  expect(watch.events()).toMatchObject([{ userId: 'u1', leftOut: expect.any(Number) }]);
  expect(watch.events()[0]).not.toHaveProperty('properties');
  await watch.cancel();
});

it('shows events stored by another process, and only those of its workspace', async () => {
  const first = await startTestService();
  const second = await startTestService({ database: first.database, limits: {} });
  const watch = await openWatch(first);
  await ingest(second, event('elsewhere'));
  await watch.until(() => watch.events().length === 1);
  expect(users(watch.events())).toEqual(['elsewhere']);
  await watch.cancel();
});

it('opens at most 8 watches of a workspace', async () => {
  const service = await startTestService();
  const watches = await Promise.all(Array.from({ length: 8 }, () => openWatch(service)));
  const refused = await service.fetch('/v1/events/watch');
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({ message: expect.stringContaining('8 open watches') });
  await watches[0]!.cancel();
  await expect.poll(async () => (await openWatch(service).catch(() => undefined))?.frames.length).toBe(1);
});

it('ends when the service closes', async () => {
  const service = await startTestService();
  const watch = await openWatch(service);
  // Long before the grace period or this test ends.
  const closed = service.close(60_000);
  await watch.ended();
  await closed;
});

it('HEAD acquires no resources', async () => {
  const service = await startTestService();
  const subscribe = vi.spyOn(service.platform.store, 'subscribe');
  for (let i = 0; i < 20; i++)
    expect((await service.fetch('/v1/events/watch', { method: 'HEAD' })).status).toBe(200);
  expect(subscribe).not.toHaveBeenCalled();
});
