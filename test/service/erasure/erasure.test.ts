import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { erasures } from '../../../src/service/erasure/store.ts';
import { erasingUsers } from '../../../src/service/platform/store/erasing-users.ts';
import { users } from '../../../src/service/users/store/users.ts';
import { startReceiver } from '../../support/peers/receiver.ts';
import { contentsOf, onPostgres } from '../../support/postgres/database.ts';
import { outsider } from '../../support/postgres/row-lock.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';
import { settled } from '../../support/process/test-clock.ts';

async function json(response: Promise<Response>, status = 200) {
  const answer = await response;
  const text = await answer.text();
  expect(answer.status, text).toBe(status);
  return JSON.parse(text);
}

/** Values of one user, each of which must be found before the erasure where it is stored in plain text. */
const PLANTED = {
  userId: 'canary.quillfeather@example.com',
  name: 'Canary Quillfeather',
  phone: '+4915199887766',
  otherPhone: '+4915199887755',
  email: 'quill@canary.example',
  accountNumber: 'DE02120300000000202051',
  trait: 'trait-of-canary-81927',
  token: 'device-token-of-canary-81927',
  property: 'property-of-canary-81927',
  variable: 'variable-of-canary-81927',
};
const BYSTANDER = { userId: 'bystander-of-canary', name: 'Bystander', phone: '+441234567890' };

if (onPostgres)
  test('a trigger that waits for an erasure leaves no notification', async () => {
    const service = await startTestService();
    const { store, cipher } = service.platform;
    const { users: known } = await json(service.fetch('/v1/users', { body: { users: [BYSTANDER] } }));
    const { hashId } = known[0];
    const watcher = await outsider(service.database);
    let erased = () => {};
    const gate = new Promise<void>((resolve) => {
      erased = resolve;
    });
    let begun = () => {};
    const begins = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const erasure = store.write(async (tx) => {
      await erasures.start(tx, cipher, service.workspace, hashId);
      begun();
      await gate;
    });
    await begins;
    const body = { hashId, templateId: 'order_update', channel: 'sms', variables: { orderId: 'A-1' } };
    const answered = service.fetch('/v1/inform/trigger', { body });
    // Without the lock it is answered at once.
    await Promise.race([watcher.waiters(), answered]);
    erased();
    await erasure;
    expect((await answered).status).toBe(404);
    const { rows } = await watcher.query('SELECT 1 FROM notification');
    expect(rows).toEqual([]);
  });

/** Everything that the service keeps: the files beside the data, and on PostgreSQL those of the server too. */
async function everything(service: TestService): Promise<string> {
  const folders = [dirname(service.files), ...(onPostgres ? [] : [dirname(service.database)])];
  const files = [...new Set(folders)].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const texts = files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file, 'latin1'));
  if (onPostgres) texts.push(await contentsOf(service.database), ...(await serverFiles(service.database)));
  return texts.join('\n');
}

/** The files of a PostgreSQL database, after what is deleted was removed from them, but for what a transaction may still see. */
async function serverFiles(database: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  // The tables of the program, and the one of PostgreSQL that holds samples of their values.
  const tables = await client.query(
    "SELECT string_agg(relid::regclass::text, ', ') AS names FROM pg_stat_user_tables",
  );
  await client.query(`VACUUM FULL ${tables.rows[0].names}`);
  await client.query('VACUUM FULL pg_statistic');
  await client.query('CHECKPOINT');
  const { rows } = await client.query(
    "SELECT current_setting('data_directory') || '/base/' || oid AS folder FROM pg_database WHERE datname = current_database()",
  );
  await client.end();
  const folder: string = rows[0].folder;
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, 'latin1'));
}

/** Waits for the end of an erasure. */
const erased = (service: TestService, hashId: string) =>
  settled(
    service,
    expect.poll(async () => (await service.fetch(`/v1/users/${hashId}`)).status, { interval: 250 }).toBe(404),
  );

test('an erased user is found in no file, and nobody else is missing', async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const service = await startTestService({ allowLoopbackWebhooks: true, testClock: true });
  const post = (path: string, body: unknown, status = 202, headers = {}) =>
    json(service.fetch(path, { body, headers }), status);
  await post(
    '/v1/webhooks',
    {
      url: receiver.url,
      events: ['campaign.opened', 'campaign.clicked', 'decision.actioned'],
      signingSecret: 'a secret of the tests',
    },
    201,
  );
  const { userId, name, phone, otherPhone, email, accountNumber, trait, token, property, variable } = PLANTED;
  const user = {
    ...{ userId, name, phone, accountNumber, timeZone: 'Europe/Berlin' },
    phones: [otherPhone],
    emails: [email],
    traits: { note: trait },
    devices: [{ channel: 'push', token }],
    optOut: ['sms/offers'],
    optIn: ['email'],
  };
  const { users: known } = await post('/v1/users', { users: [user, BYSTANDER] }, 200, {
    'idempotency-key': 'users-1',
  });
  const [hashId, bystander]: string[] = known.map((each: { hashId: string }) => each.hashId);
  const timestamp = new Date().toISOString();
  const events = [userId, BYSTANDER.userId].flatMap((each) =>
    // One of them is counted by a rule of the default catalog.
    ['seen', 'savings_plan_opened'].map((event) => ({
      userId: each,
      event,
      timestamp,
      properties: { note: property + each },
    })),
  );
  await post('/v1/events', { events });
  for (const each of [hashId, bystander]) {
    const { decisionId } = await post('/v1/decisioning/decide', { hashId: each }, 200);
    await json(service.fetch(`/v1/messages?hashId=${each}`));
    await post(`/v1/messages/${decisionId}/outcomes`, { type: 'clicked' });
    const sent = await post('/v1/inform/trigger', {
      hashId: each,
      templateId: 'order_update',
      channel: 'sms',
      variables: { orderId: `${variable}${each === hashId ? '' : ' of another'}` },
    });
    await post(`/v1/inform/notifications/${sent.notificationId}/outcomes`, { type: 'opened' });
  }
  await receiver.waitFor(4);
  await expect.poll(() => service.idle()).toBe(true);

  const before = await everything(service);
  const ofUser = [userId, `${property}${userId}`, `${variable}"`, hashId!];
  expect(ofUser.filter((value) => !before.includes(value))).toEqual([]);
  expect(await json(service.fetch(`/v1/users/${hashId}`))).toEqual({
    hashId,
    status: 'known',
    timeZone: 'Europe/Berlin',
    locale: null,
    fields: ['name', 'phone', 'accountNumber', 'phones', 'emails'],
    traits: ['note'],
    channels: [
      { channel: 'whatsapp', addresses: 2, bounced: 0, stopped: 0 },
      { channel: 'sms', addresses: 2, bounced: 0, stopped: 0 },
      { channel: 'email', addresses: 1, bounced: 0, stopped: 0 },
      { channel: 'push', addresses: 1, bounced: 0, stopped: 0 },
    ],
    optIn: ['email'],
    optOut: ['sms/offers'],
  });

  expect(await json(service.fetch(`/v1/users/${hashId}`, { method: 'DELETE' }))).toMatchObject({
    hashId,
    status: 'erasing',
  });
  await post('/v1/inform/trigger', { hashId, templateId: 'welcome', channel: 'sms' }, 404);
  await erased(service, hashId!);

  let after = '';
  const left = async () => {
    after = await everything(service);
    return Object.keys(PLANTED).filter((field) => after.includes(PLANTED[field as keyof typeof PLANTED]));
  };
  // The other user was sent a variable that begins alike.
  await expect.poll(left, { interval: 500 }).toEqual(['property', 'variable']);
  expect(ofUser.filter((value) => after.includes(value))).toEqual([hashId]);
  const ofOther = [`${property}${BYSTANDER.userId}`, `${variable} of another`, bystander!];
  expect(ofOther.filter((value) => !after.includes(value))).toEqual([]);

  // The refusal stays for the day when the user comes back; nothing else knows the hashId.
  const { store, cipher } = service.platform;
  const tables = await store.read(async (tx) => {
    const found: string[] = [];
    const all = await tx.sql.all<{ name: string }>(
      onPostgres
        ? "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() AND tablename LIKE '%'"
        : "SELECT name FROM sqlite_master WHERE type = 'table'",
    );
    for (const each of all)
      for (const row of await tx.sql.all(`SELECT * FROM ${each.name}`))
        if (JSON.stringify(row).includes(hashId!)) found.push(each.name);
    return found.sort();
  });
  expect(tables).toEqual(['consent', 'erasure']);
  const again = await post('/v1/users', { users: [user, BYSTANDER] }, 200, { 'idempotency-key': 'users-1' });
  expect(again.users).toEqual([{ userId: BYSTANDER.userId, hashId: bystander }]);
  await post('/v1/users', { users: [{ userId }] }, 200);
  expect(await json(service.fetch(`/v1/users/${hashId}`))).toMatchObject({
    status: 'known',
    fields: [],
    optIn: [],
    optOut: ['sms/offers'],
  });
  const other = await store.read((tx) => users.personal(tx, cipher, service.workspace, bystander!));
  expect(other).toEqual({ name: BYSTANDER.name, phone: BYSTANDER.phone });
});

test('an idempotency key that contains the userId is not readable after the erasure, and still answers', async () => {
  const service = await startTestService({ testClock: true });
  const { userId } = PLANTED;
  const key = { 'idempotency-key': `import-${userId}` };
  const post = () => service.fetch('/v1/users', { body: { users: [{ userId }, BYSTANDER] }, headers: key });
  const { users: known } = await json(post());
  await json(service.fetch(`/v1/users/${known[0].hashId}`, { method: 'DELETE' }));
  await erased(service, known[0].hashId);
  await expect.poll(async () => (await everything(service)).includes(userId), { interval: 500 }).toBe(false);
  const again = await post();
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(await again.json()).toMatchObject({ users: [known[1]] });
});

test('the end of an erasure does not end a later one of the same user', async () => {
  const { platform, workspace } = await startTestService();
  const { store, cipher } = platform;
  const user = { userId: 'returning', hashId: 'ab'.repeat(32) };
  const pending = await store.write(async (tx) => {
    await users.upsert(tx, cipher, workspace, [user]);
    await erasures.start(tx, cipher, workspace, user.hashId);
    const first = await erasures.next(tx, cipher, workspace);
    await users.upsert(tx, cipher, workspace, [user]);
    await erasures.start(tx, cipher, workspace, user.hashId);
    await erasures.end(tx, workspace, first!);
    return erasingUsers.has(tx, workspace, user.hashId);
  });
  expect(pending).toBe(true);
});
