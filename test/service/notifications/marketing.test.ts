import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { newId } from '../../../src/kit/id.ts';
import { localParts } from '../../../src/kit/time/local-time.ts';
import { notifications } from '../../../src/service/notifications/store/notifications.ts';
import { variablesAssociatedData } from '../../../src/service/platform/crypto/associated-data.ts';
import { pipeline } from '../../../src/service/platform/store/pipeline.ts';
import { startReceiver } from '../../support/peers/receiver.ts';
import { onPostgres } from '../../support/postgres/database.ts';
import { outsider } from '../../support/postgres/row-lock.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';
import { advance, clockOf } from '../../support/process/test-clock.ts';
import { tempDir } from '../../support/temp.ts';

const MINUTE_MS = 60_000;

async function json(response: Promise<Response>, status = 200) {
  const answer = await response;
  const text = await answer.text();
  expect(answer.status, text).toBe(status);
  return JSON.parse(text);
}

/** A service with a template `offer` of category `offers`, and what the test adds to the catalog. */
async function serviceWith(
  marketing: object,
  template: object = {},
  options: Parameters<typeof startTestService>[0] = {},
) {
  const catalog = join(tempDir(), 'catalog.json');
  const templates = [
    { templateId: 'offer', category: 'offers', body: 'Hi', ...template },
    { templateId: 'receipt', priority: 'transactional', body: 'Paid' },
  ];
  writeFileSync(catalog, JSON.stringify({ contents: [], templates, settings: { marketing } }));
  return startTestService({ catalog, ...options });
}

async function addUsers(service: TestService, ...users: object[]): Promise<string[]> {
  const given = users.map((user, i) => ({
    userId: `u${i}`,
    name: 'Ada',
    phone: `+44123456789${i}`,
    traits: { email: `u${i}@example.com` },
    devices: [{ channel: 'push', token: `token-${i}` }],
    ...user,
  }));
  const { users: known } = await json(service.fetch('/v1/users', { body: { users: given } }));
  return known.map(({ hashId }: { hashId: string }) => hashId);
}

async function trigger(service: TestService, hashId: string, more: object = {}): Promise<string> {
  const body = { hashId, templateId: 'offer', channel: 'sms', ...more };
  return (await json(service.fetch('/v1/inform/trigger', { body }), 202)).notificationId;
}

const recordOf = (service: TestService, id: string) => json(service.fetch(`/v1/inform/notifications/${id}`));

/** The record once it is no longer queued or dispatched. */
async function settled(service: TestService, id: string) {
  for (;;) {
    const record = await recordOf(service, id);
    if (['held', 'delivered', 'failed'].includes(record.status)) return record;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const outboxOf = (service: TestService): { notificationId: string; hashId: string; at: string }[] =>
  readFileSync(`${service.files}.outbox.ndjson`, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** A time of day in UTC, so many hours from now. */
const hour = (from: number) => `${localParts(Date.now() + from * 3_600_000, 'UTC', 'time').hour}:00`;

describe('the priority of a notification', () => {
  it('is marketing if it is left out, unless the template says otherwise', async () => {
    const service = await serviceWith({});
    const [hashId] = await addUsers(service, {});
    const priorityOf = async (more: object) =>
      (await recordOf(service, await trigger(service, hashId!, more))).priority;
    expect(await priorityOf({})).toBe('marketing');
    expect(await priorityOf({ templateId: 'receipt' })).toBe('transactional');
    expect(await priorityOf({ priority: 'transactional' })).toBe('transactional');
    expect(await priorityOf({ templateId: 'receipt', priority: 'marketing' })).toBe('marketing');
  });

  it('puts 1 transactional trigger before 2,000 marketing ones, also while marketing holds all its places', async () => {
    const waiting: (() => void)[] = [];
    let abandoned = 0;
    const provider = await startReceiver((response, { body }) => {
      const accept = () => void response.writeHead(200).end();
      response.on('close', () => {
        if (!response.writableEnded) abandoned += 1;
      });
      // Marketing is not answered before: were it to take the places of transactional messages, they would wait.
      if (JSON.parse(body.toString()).priority === 'marketing') waiting.push(accept);
      else for (const each of [...waiting, accept]) each();
    });
    onTestFinished(() => provider.close());
    const sms = { url: provider.url, secret: 'the secret of the provider', idempotent: true };
    const channels = { outboxFile: join(tempDir(), 'outbox.ndjson'), providers: { sms } };
    const service = await serviceWith({}, {}, { channels });
    const [hashId] = await addUsers(service, {});
    const { store, cipher } = service.platform;
    // In one transaction: what is sent at first waits for its answer until the deadline of the provider.
    await store.write(async (tx) => {
      const create = () => {
        const notificationId = newId('ntf');
        const made = { notificationId, hashId: hashId!, templateId: 'offer', channel: 'sms' };
        const variables = cipher.seal('{}', variablesAssociatedData(notificationId));
        return notifications.create(tx, service.workspace, { ...made, priority: 'marketing', variables });
      };
      for (let batch = 0; batch < 4; batch++) await pipeline(Array.from({ length: 500 }, create));
    });
    await provider.waitFor(8);
    const id = await trigger(service, hashId!, { templateId: 'receipt' });
    expect((await settled(service, id)).status).toBe('delivered');
    const at = provider.received.findIndex(({ body }) => body.toString().includes(id));
    // It came while the first ones still waited for their answers.
    expect({ at, abandoned }).toEqual({ at: 8, abandoned: 0 });
  });
});

describe('quiet hours', () => {
  it('hold marketing back in the time zone of the user, with state, reason and end', async () => {
    const quietHours = { from: hour(-1), until: hour(2) };
    const service = await serviceWith({ quietHours }, {}, { testClock: true });
    const [awake, asleep] = await addUsers(service, { timeZone: 'Etc/GMT-6' }, { timeZone: 'UTC' });
    const held = await settled(service, await trigger(service, asleep!));
    expect(held).toMatchObject({
      status: 'held',
      history: [{ status: 'queued' }, { status: 'held', reason: 'quiet_hours' }],
    });
    expect(new Date(held.heldUntil).toISOString().slice(11, 16)).toBe(hour(2));
    expect((await settled(service, await trigger(service, awake!))).status).toBe('delivered');
    const transactional = await trigger(service, asleep!, { templateId: 'receipt' });
    expect((await settled(service, transactional)).status).toBe('delivered');
    const sent = () => outboxOf(service).map(({ notificationId }) => notificationId);
    expect(sent()).not.toContain(held.notificationId);
    const end = Date.parse(held.heldUntil) - Date.parse((await clockOf(service)).now);
    await advance(service, end - MINUTE_MS);
    expect(sent()).not.toContain(held.notificationId);
    await advance(service, 2 * MINUTE_MS);
    expect(sent()).toContain(held.notificationId);
  });

  it('of a template or category replace those of all marketing, and null ends them', async () => {
    const always = { from: hour(-1), until: hour(2) };
    const loud = { offers: { quietHours: null } };
    const byCategory = await serviceWith({ quietHours: always, categories: loud });
    const [first] = await addUsers(byCategory, {});
    expect((await settled(byCategory, await trigger(byCategory, first!))).status).toBe('delivered');
    const byTemplate = await serviceWith({ categories: loud }, { quietHours: always });
    const [second] = await addUsers(byTemplate, {});
    expect((await settled(byTemplate, await trigger(byTemplate, second!))).status).toBe('held');
  });
});

describe('consent', () => {
  it('holds by channel and category, by the endpoint and with the user', async () => {
    const service = await serviceWith({});
    const [hashId] = await addUsers(service, { optOut: ['sms/offers'] });
    const statusOf = async (more: object = {}) => {
      const { status, failure } = await settled(service, await trigger(service, hashId!, more));
      return failure ?? status;
    };
    const say = (body: object) => json(service.fetch(`/v1/users/${hashId}/consent`, { body }));
    expect(await statusOf()).toBe('opted_out');
    expect(await statusOf({ channel: 'push', priority: 'marketing', templateId: 'receipt' })).toBe(
      'delivered',
    );
    expect(await statusOf({ priority: 'transactional' })).toBe('delivered');
    expect(await say({ optIn: ['sms'] })).toMatchObject({ optIn: ['sms'], optOut: [] });
    expect(await statusOf()).toBe('delivered');
    expect(await say({ optOut: ['*'] })).toMatchObject({ optIn: [], optOut: ['*'] });
    expect(await statusOf()).toBe('opted_out');
    expect(await say({ optIn: ['*/offers'], optOut: ['*/offers'] })).toMatchObject({
      optIn: [],
      optOut: ['*', '*/offers'],
    });
    const bad = await json(service.fetch(`/v1/users/${hashId}/consent`, { body: { optOut: ['fax'] } }), 400);
    expect(bad.details).toMatchObject([{ field: 'optOut.0' }]);
    await json(service.fetch(`/v1/users/${'0'.repeat(64)}/consent`, { body: {} }), 404);
  });

  it('can be required, for all marketing or a category', async () => {
    const service = await serviceWith({ categories: { offers: { requireOptIn: true } } });
    const [quiet, asked] = await addUsers(service, {}, { optIn: ['*/offers'] });
    expect(await settled(service, await trigger(service, quiet!))).toMatchObject({
      status: 'failed',
      failure: 'not_opted_in',
      history: [{ status: 'queued' }, { status: 'failed' }],
    });
    expect((await settled(service, await trigger(service, asked!))).status).toBe('delivered');
  });
});

test('a cap counts a template, a category or all marketing, and what it holds back is never sent early', async () => {
  const service = await serviceWith(
    { cap: { perDay: 3 } },
    { cap: { perWeek: 2 }, validForMinutes: 14_400 },
    { testClock: true },
  );
  const [hashId] = await addUsers(service, {});
  const outcomes: string[] = [];
  for (let i = 0; i < 4; i++) {
    const { status, history } = await settled(service, await trigger(service, hashId!));
    outcomes.push(status === 'held' ? history.at(-1).reason : status);
  }
  expect(outcomes).toEqual(['delivered', 'delivered', 'week_cap', 'week_cap']);
  const other = { templateId: 'receipt', priority: 'marketing' };
  expect((await settled(service, await trigger(service, hashId!, other))).status).toBe('delivered');
  expect(await settled(service, await trigger(service, hashId!, other))).toMatchObject({
    status: 'held',
    history: [{ status: 'queued' }, { status: 'held', reason: 'day_cap' }],
  });
  const exempt = await trigger(service, hashId!, { templateId: 'receipt' });
  expect((await settled(service, exempt)).status).toBe('delivered');
  const sent = () => outboxOf(service).length;
  expect(sent()).toBe(4);
  await advance(service, 24 * 60 * MINUTE_MS);
  expect(sent()).toBe(5);
  await advance(service, 5 * 24 * 60 * MINUTE_MS);
  expect(sent()).toBe(5);
  await advance(service, 24 * 60 * MINUTE_MS);
  expect(sent()).toBe(7);
});

test('eight nodes at once send no more than caps, consent and quiet hours allow', async () => {
  const quietHours = { from: hour(-1), until: hour(2) };
  const first = await serviceWith({ cap: { perDay: 2 }, quietHours }, { quietHours: null });
  const catalog = undefined;
  const nodes = [first];
  for (let i = 1; i < 8; i++) nodes.push(await startTestService({ database: first.database, catalog }));
  const hashIds = await addUsers(
    first,
    ...Array.from({ length: 4 }, () => ({})),
    { optOut: ['sms'] },
    { optOut: ['*'] },
  );
  const [, , , , noSms, nothing] = hashIds;
  const made: string[] = [];
  await Promise.all(
    hashIds.flatMap((hashId) =>
      Array.from({ length: 16 }, async (_, i) => {
        const node = nodes[i % nodes.length]!;
        const channel = ['sms', 'push', 'whatsapp', 'email'][i % 4];
        // Templates with and without quiet hours: `receipt` as marketing has those of all marketing.
        const more = i < 12 ? { channel } : { channel, templateId: 'receipt', priority: 'marketing' };
        made.push(await trigger(node, hashId, more));
      }),
    ),
  );
  // One after the other: 96 that ask again and again would keep the machine busy.
  const records = [];
  for (const id of made) records.push(await settled(first, id));
  const sent = outboxOf(first);
  for (const hashId of hashIds) {
    const count = sent.filter((line) => line.hashId === hashId).length;
    expect(count).toBe(hashId === nothing ? 0 : 2);
  }
  const delivered = records.filter(({ status }) => status === 'delivered');
  expect(delivered.map(({ notificationId }) => notificationId).sort()).toEqual(
    sent.map(({ notificationId }) => notificationId).sort(),
  );
  expect(delivered.filter(({ templateId }) => templateId === 'receipt')).toEqual([]);
  expect(delivered.filter(({ hashId, channel }) => hashId === noSms && channel === 'sms')).toEqual([]);
});

if (onPostgres)
  test('a user about whom another node decides holds up no other user', async () => {
    const service = await serviceWith({ cap: { perDay: 1 } });
    const [first, second] = await addUsers(service, {}, {});
    const elsewhere = await outsider(service.database);
    await elsewhere.query('BEGIN');
    const lock = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';
    await elsewhere.query(lock, [`marketing ${service.workspace} ${first}`]);
    const waiting = await trigger(service, first!);
    expect((await settled(service, await trigger(service, second!))).status).toBe('delivered');
    expect((await recordOf(service, waiting)).status).toBe('queued');
    await elsewhere.query('ROLLBACK');
    expect((await settled(service, waiting)).status).toBe('delivered');
  });
