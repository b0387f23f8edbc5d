import { existsSync, readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { freshDatabase } from '../../support/postgres/database.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';
import { addUser, record, settled, trigger, withTwilio } from '../../support/vendors/live-service.ts';

/** A node without providers on the database of one that sends SMS through Twilio; its workspace is live. */
async function twoNodes() {
  const database = await freshDatabase(tempDir());
  const { vendor, service: provided } = await withTwilio(undefined, { database });
  // What the node says of itself is on the database.
  while (!(await provided.idle())) await new Promise((resolve) => setTimeout(resolve, 10));
  const lines: string[] = [];
  const bare = await startTestService({ database, mode: 'live', log: (_, message) => lines.push(message) });
  return { database, vendor, provided, bare, lines };
}

const outboxOf = ({ files }: TestService) => `${files}.outbox.ndjson`;

it('is left to a node with a provider, also while that one restarts', async () => {
  const { database, vendor, provided, bare, lines } = await twoNodes();
  const hashId = await addUser(bare);
  await provided.close(0);
  const sms = await trigger(bare, hashId);
  const push = await trigger(bare, hashId, { channel: 'push' });
  await vi.waitFor(() =>
    expect(lines).toContain('notifications are left to a node that has a provider for their channel'),
  );
  // No node has a provider for push.
  await vi.waitFor(async () => expect((await record(bare, push)).status).not.toBe('queued'));
  expect(await record(bare, sms)).toMatchObject({ status: 'queued' });

  await withTwilio({ TWILIO_BASE_URL: vendor.url }, { database });
  await vi.waitFor(async () => expect((await record(bare, sms)).status).toBe('delivered'));
  expect((await record(bare, sms)).history.at(-1)).toMatchObject({ reason: 'accepted by the provider' });
  expect(vendor.requests.length).toBe(1);
  expect(existsSync(outboxOf(bare))).toBe(false);
});

it('goes to the outbox once no node with a provider was seen for a day', async () => {
  const { provided, bare } = await twoNodes();
  await provided.close(0);
  await bare.platform.store.write((tx) =>
    tx.sql.run('UPDATE setting SET value = ? WHERE name = ?', [
      String(tx.now - 86_400_000),
      'provider of sms',
    ]),
  );
  const id = await trigger(bare, await addUser(bare));
  expect((await settled(bare, id)).history.at(-1)).toMatchObject({
    reason: 'written to the outbox: no provider',
  });
  expect(readFileSync(outboxOf(bare), 'utf8')).toContain(id);
});
