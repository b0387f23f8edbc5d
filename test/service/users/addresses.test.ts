import { expect, it } from 'vitest';
import type { Tx } from '../../../src/service/platform/store/store.ts';
import { addressHash } from '../../../src/service/users/address-hash.ts';
import { addresses } from '../../../src/service/users/store/addresses.ts';
import { contentsOf } from '../../support/postgres/database.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';

async function known(service: TestService, users: object[]): Promise<string[]> {
  const answer = await service.fetch('/v1/users', { body: { users } });
  expect(answer.status).toBe(200);
  const body = (await answer.json()) as { users: { hashId: string }[] };
  return body.users.map(({ hashId }) => hashId);
}

const write = <T>(service: TestService, work: (tx: Tx) => Promise<T>) => service.platform.store.write(work);
const addressesOf = (service: TestService, hashId: string, channel: string) =>
  write(service, (tx) =>
    addresses.addressesOf(tx, service.platform.cipher, service.workspace, hashId, channel),
  );
const plain = async (service: TestService, hashId: string, channel: string) =>
  (await addressesOf(service, hashId, channel)).map(({ address }) => address);
const push = (token: string) => ({ channel: 'push', token });

it('a user is reached by phone, e-mail and devices, and none of them is stored in plain text', async () => {
  const service = await startTestService();
  const [ada, none] = await known(service, [
    {
      userId: 'ada',
      phone: '+44 1234 567890',
      traits: { email: 'ada@example.com' },
      devices: [push('token-one'), push('token-two')],
    },
    { userId: 'none', phone: '' },
  ]);
  expect(await plain(service, ada!, 'sms')).toEqual(['+44 1234 567890']);
  expect(await plain(service, ada!, 'whatsapp')).toEqual(['+44 1234 567890']);
  expect(await plain(service, ada!, 'email')).toEqual(['ada@example.com']);
  expect((await plain(service, ada!, 'push')).sort()).toEqual(['token-one', 'token-two']);
  for (const channel of ['sms', 'whatsapp', 'email', 'push'])
    expect(await plain(service, none!, channel)).toEqual([]);
  expect(await contentsOf(service.database)).not.toMatch(/token-one|token-two|ada@example|567890/);
});

it('devices are added, and belong to the user who was sent with them last', async () => {
  const service = await startTestService();
  const [ada, bob] = await known(service, [
    { userId: 'ada', devices: [push('shared')] },
    { userId: 'bob', devices: [push('own')] },
  ]);
  await known(service, [{ userId: 'bob', devices: [push('shared'), push('shared')] }]);
  expect(await plain(service, ada!, 'push')).toEqual([]);
  expect((await plain(service, bob!, 'push')).sort()).toEqual(['own', 'shared']);
});

it('a dead device is removed; any other dead address is suppressed for good', async () => {
  const service = await startTestService();
  const [ada] = await known(service, [{ userId: 'ada', phone: '+441', devices: [push('t')] }]);
  for (const channel of ['push', 'sms']) {
    const [{ hash } = { hash: '' }] = await addressesOf(service, ada!, channel);
    await write(service, (tx) => addresses.removeAddress(tx, service.workspace, channel, hash));
  }
  expect(await plain(service, ada!, 'push')).toEqual([]);
  const [{ hash, suppressions } = { hash: '', suppressions: [] }] = await addressesOf(service, ada!, 'sms');
  expect(suppressions).toEqual([{ category: null, reason: 'bounce' }]);
  await write(service, async (tx) => {
    await addresses.suppress(tx, service.workspace, 'sms', hash, 'stop');
    await addresses.resume(tx, service.workspace, 'sms', hash);
  });
  expect((await addressesOf(service, ada!, 'sms'))[0]!.suppressions).toEqual(suppressions);
  // The same number is suppressed by channel.
  expect((await addressesOf(service, ada!, 'whatsapp'))[0]!.suppressions).toEqual([]);
});

it('what a STOP began ends with START, by category', async () => {
  const service = await startTestService();
  const [ada] = await known(service, [{ userId: 'ada', phone: '+441' }]);
  const [{ hash } = { hash: '' }] = await addressesOf(service, ada!, 'sms');
  await write(service, async (tx) => {
    await addresses.suppress(tx, service.workspace, 'sms', hash, 'stop');
    await addresses.suppress(tx, service.workspace, 'sms', hash, 'stop', 'marketing');
    await addresses.resume(tx, service.workspace, 'sms', hash);
  });
  expect((await addressesOf(service, ada!, 'sms'))[0]!.suppressions).toEqual([
    { category: 'marketing', reason: 'stop' },
  ]);
});

it('spellings of an address have the same hash', () => {
  const key = Buffer.alloc(32, 1);
  const phone = (text: string) => addressHash(key, 'sms', text);
  expect(
    new Set(['+44 1234 567890', '0044-1234-567890', '441234567890', '+44 (0)1234 567890'].map(phone)).size,
  ).toBe(1);
  expect(addressHash(key, 'whatsapp', '441234567890')).toBe(phone('+441234567890'));
  expect(addressHash(key, 'email', 'Ada@Example.com ')).toBe(addressHash(key, 'email', 'ada@example.com'));
  expect(addressHash(key, 'push', 'a')).not.toBe(addressHash(key, 'push', 'A'));
  expect(addressHash(Buffer.alloc(32, 2), 'sms', '+441')).not.toBe(phone('+441'));
});
