import { CHANNELS } from '../../../contract/schemas.ts';
import { deviceAssociatedData } from '../../platform/crypto/associated-data.ts';
import type { Cipher } from '../../platform/crypto/cipher.ts';
import { listed } from '../../platform/store/listed.ts';
import type { Tx } from '../../platform/store/store.ts';
import { workspaces } from '../../platform/store/workspaces.ts';
import { addressHash } from '../address-hash.ts';
import { userKeys } from './user-keys.ts';
import { type PersonalFields, users } from './users.ts';

/** An address of a user, decrypted. It is never stored or logged in this form. */
export interface UserAddress {
  readonly address: string;
  /** Its keyed hash. */
  readonly hash: string;
  /** Why nothing may be sent to it, by category; empty if nothing is known against it. */
  readonly suppressions: readonly Suppression[];
}

/** `stop`: the person asked for it. `bounce`: the address is dead, and not even transactional messages are sent. */
export type SuppressionReason = 'stop' | 'bounce';

export interface Suppression {
  /** Null: all categories. */
  readonly category: string | null;
  readonly reason: SuppressionReason;
}

/** A device to add to a user. */
export interface DeviceChange {
  readonly hashId: string;
  readonly channel: string;
  readonly token: string;
}

/** The addresses of users by channel, and those to which nothing may be sent. */
export const addresses = {
  /** The addresses of a user for a channel, latest first: devices, or the phone number or e-mail address. */
  async addressesOf(
    tx: Tx,
    cipher: Cipher,
    workspaceId: string,
    hashId: string,
    channel: string,
  ): Promise<UserAddress[]> {
    const found = await plainAddresses(tx, cipher, workspaceId, hashId, channel);
    if (found.length === 0) return [];
    const key = await workspaces.hashKey(tx, workspaceId);
    const withHash: UserAddress[] = [];
    for (const address of found) {
      const hash = addressHash(key, channel, address);
      withHash.push({
        address,
        hash,
        suppressions: await addresses.suppressionsOf(tx, workspaceId, channel, hash),
      });
    }
    return withHash;
  },

  /** The channels by which users can be reached, by hashId: those of an address to which something may be sent. */
  async channelsOf(
    tx: Tx,
    cipher: Cipher,
    workspaceId: string,
    hashIds: readonly string[],
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const { dialect } = tx.sql;
    const byUser = listed(dialect, 'hash_id', hashIds);
    const devices = await tx.sql.all<HashedAddress>(
      `SELECT hash_id AS "hashId", channel, address_hash AS hash FROM device WHERE workspace_id = ? AND ${byUser.text}`,
      [workspaceId, byUser.param],
    );
    const key = await workspaces.hashKey(tx, workspaceId);
    const known = await users.personalOf(tx, cipher, workspaceId, hashIds);
    const plain = [...known].flatMap(([hashId, { traits, ...personal }]) =>
      PERSONAL_CHANNELS.flatMap((channel) =>
        personalAddresses(channel, personal, traits === undefined ? {} : JSON.parse(traits)).map(
          (address): HashedAddress => ({ hashId, channel, hash: addressHash(key, channel, address) }),
        ),
      ),
    );
    const all = [...plain, ...devices];
    const byAddress = listed(
      dialect,
      'address_hash',
      all.map(({ hash }) => hash),
    );
    const suppressed = await tx.sql.all<Pick<HashedAddress, 'channel' | 'hash'>>(
      `SELECT channel, address_hash AS hash FROM address_suppression
       WHERE workspace_id = ? AND ${listed(dialect, 'channel', CHANNELS).text} AND ${byAddress.text} AND category = ''`,
      [workspaceId, listed(dialect, 'channel', CHANNELS).param, byAddress.param],
    );
    const not = new Set(suppressed.map(({ channel, hash }) => `${channel} ${hash}`));
    const found = new Map<string, Set<string>>(hashIds.map((hashId) => [hashId, new Set()]));
    for (const { hashId, channel, hash } of all)
      if (!not.has(`${channel} ${hash}`)) found.get(hashId)?.add(channel);
    return new Map([...found].map(([hashId, channels]) => [hashId, [...channels]]));
  },

  /** Adds devices to users. A device belongs to the user it was added to last. */
  async registerDevices(
    tx: Tx,
    cipher: Cipher,
    workspaceId: string,
    devices: readonly DeviceChange[],
  ): Promise<void> {
    if (devices.length === 0) return;
    const key = await workspaces.hashKey(tx, workspaceId);
    const rows = devices.map((device) => ({
      ...device,
      hash: addressHash(key, device.channel, device.token),
    }));
    // In one order everywhere, so that overlapping batches cannot deadlock.
    const hashIds = [...new Set(rows.map(({ hashId }) => hashId))].sort();
    const ciphers = await userKeys.ensure(tx, cipher, workspaceId, hashIds);
    for (const { hashId, channel, token, hash } of rows.sort((a, b) => (a.hash < b.hash ? -1 : 1)))
      await tx.sql.run(
        `INSERT INTO device (workspace_id, channel, address_hash, hash_id, token, created_at)
         VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (workspace_id, channel, address_hash) DO UPDATE SET
           hash_id = excluded.hash_id, token = excluded.token, created_at = excluded.created_at`,
        [
          workspaceId,
          channel,
          hash,
          hashId,
          ciphers.get(hashId)!.seal(token, deviceAssociatedData(workspaceId, channel, hash)),
          tx.now,
        ],
      );
  },

  /** Removes an address that its provider calls dead: a device is deleted, any other address suppressed. */
  async removeAddress(tx: Tx, workspaceId: string, channel: string, hash: string): Promise<void> {
    const deleted = await tx.sql.run(
      'DELETE FROM device WHERE workspace_id = ? AND channel = ? AND address_hash = ?',
      [workspaceId, channel, hash],
    );
    if (deleted === 0) await addresses.suppress(tx, workspaceId, channel, hash, 'bounce');
  },

  /** From now on, nothing of the category is sent to an address; nothing at all without a category. */
  async suppress(
    tx: Tx,
    workspaceId: string,
    channel: string,
    hash: string,
    reason: SuppressionReason,
    category = '',
  ): Promise<void> {
    await tx.sql.run(
      `INSERT INTO address_suppression (workspace_id, channel, address_hash, category, reason, at_ms)
       VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (workspace_id, channel, address_hash, category) DO UPDATE SET
         reason = CASE WHEN address_suppression.reason = 'bounce' THEN 'bounce' ELSE excluded.reason END`,
      [workspaceId, channel, hash, category, reason, tx.now],
    );
  },

  /** Ends what a STOP began. A bounce stays. */
  async resume(tx: Tx, workspaceId: string, channel: string, hash: string, category = ''): Promise<void> {
    await tx.sql.run(
      `DELETE FROM address_suppression WHERE workspace_id = ? AND channel = ? AND address_hash = ? AND category = ?
         AND reason = 'stop'`,
      [workspaceId, channel, hash, category],
    );
  },

  async suppressionsOf(tx: Tx, workspaceId: string, channel: string, hash: string): Promise<Suppression[]> {
    const rows = await tx.sql.all<{ category: string; reason: SuppressionReason }>(
      `SELECT category, reason FROM address_suppression
       WHERE workspace_id = ? AND channel = ? AND address_hash = ? ORDER BY category`,
      [workspaceId, channel, hash],
    );
    return rows.map(({ category, reason }) => ({ category: category === '' ? null : category, reason }));
  },
};

/** An address of a user by its keyed hash. */
interface HashedAddress {
  readonly hashId: string;
  readonly channel: string;
  readonly hash: string;
}

/** The channels whose addresses are personal fields; those of the others are devices. */
const PERSONAL_CHANNELS: readonly string[] = ['whatsapp', 'sms', 'email'];

/** The addresses of a user for one of these channels, the preferred one first. */
function personalAddresses(
  channel: string,
  { phone, phones = [], emails = [] }: PersonalFields,
  { email }: Readonly<Record<string, unknown>>,
): string[] {
  if (channel !== 'email') return distinct([phone, ...phones]);
  return distinct([...emails, typeof email === 'string' ? email : undefined]);
}

async function plainAddresses(
  tx: Tx,
  cipher: Cipher,
  workspaceId: string,
  hashId: string,
  channel: string,
): Promise<string[]> {
  if (PERSONAL_CHANNELS.includes(channel)) {
    const personal = await users.personal(tx, cipher, workspaceId, hashId);
    const traits = channel === 'email' ? (await users.find(tx, cipher, workspaceId, hashId))?.traits : {};
    return personalAddresses(channel, personal ?? {}, traits ?? {});
  }
  const rows = await tx.sql.all<{ hash: string; token: Uint8Array }>(
    `SELECT address_hash AS hash, token FROM device
     WHERE workspace_id = ? AND hash_id = ? AND channel = ? ORDER BY created_at DESC, address_hash`,
    [workspaceId, hashId, channel],
  );
  if (rows.length === 0) return [];
  const own = await userKeys.find(tx, cipher, workspaceId, hashId);
  return rows.map(({ hash, token }) => own.open(token, deviceAssociatedData(workspaceId, channel, hash)));
}

/** The addresses that are not empty, each once. */
function distinct(found: readonly (string | undefined)[]): string[] {
  return [...new Set(found.filter((address) => address !== undefined && address !== ''))] as string[];
}
