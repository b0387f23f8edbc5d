import { MAX_TAG } from '../../../contract/limits.ts';
import type { Cipher } from '../../crypto/cipher.ts';
import type { TraitValue } from '../../domain/decide/content.ts';
import type { SqlValue, Tx } from '../store.ts';

/** An update of a user. Omitted fields keep their value. */
export interface UserChange {
  readonly userId: string;
  readonly hashId: string;
  readonly name?: string | undefined;
  readonly phone?: string | undefined;
  readonly accountNumber?: string | undefined;
  readonly timeZone?: string | undefined;
  readonly locale?: string | undefined;
  readonly traits?: Readonly<Record<string, TraitValue>> | undefined;
}

/** The fields of a user that a decision may use. */
export interface KnownUser {
  readonly userId: string;
  readonly timeZone: string | null;
  readonly locale: string | null;
  readonly traits: Readonly<Record<string, TraitValue>>;
}

/** The personal fields that fill notification templates. They never leave the service. */
export interface PersonalFields {
  readonly name?: string;
  readonly phone?: string;
  readonly accountNumber?: string;
}

const COLUMNS = 10;
/** Row counts of INSERT statements. A batch is split into these, so that few statements are prepared. */
const CHUNKS = [64, 8, 1];

export const users = {
  /**
   * Inserts or updates users. If a user appears twice, the last values win. Rows are locked in the order of their
   * hashId, so that overlapping batches cannot deadlock.
   */
  async upsert(tx: Tx, cipher: Cipher, workspaceId: string, changes: readonly UserChange[]): Promise<void> {
    const merged = [...mergeByUser(changes).values()].sort((a, b) => (a.hashId < b.hashId ? -1 : 1));
    let from = 0;
    for (const size of CHUNKS) {
      for (; merged.length - from >= size; from += size) {
        const params = merged
          .slice(from, from + size)
          .flatMap((user) => rowOf(tx, cipher, workspaceId, user));
        await tx.sql.run(upsertOf(size), params);
      }
    }
  },

  /** The user with a hashId, without personal fields; undefined if unknown. */
  async find(tx: Tx, cipher: Cipher, workspaceId: string, hashId: string): Promise<KnownUser | undefined> {
    const row = await tx.sql.get<Omit<KnownUser, 'traits'> & { traits: Uint8Array | null }>(
      // Earlier versions accepted a locale of any length, and each decision stores a copy of it.
      `SELECT user_id AS "userId", time_zone AS "timeZone",
         CASE WHEN octet_length(locale) <= ${MAX_TAG} THEN locale END AS locale, traits FROM app_user
       WHERE workspace_id = ? AND hash_id = ?`,
      [workspaceId, hashId],
    );
    if (!row) return undefined;
    const text = row.traits && cipher.open(row.traits, associatedData(workspaceId, hashId, 'traits'));
    return { ...row, traits: text ? JSON.parse(text) : {} };
  },

  /** The decrypted personal fields of a user; undefined for an unknown hashId. */
  async personal(
    tx: Tx,
    cipher: Cipher,
    workspaceId: string,
    hashId: string,
  ): Promise<PersonalFields | undefined> {
    const row = await tx.sql.get<Record<'name' | 'phone' | 'accountNumber', Uint8Array | null>>(
      `SELECT name, phone, account_number AS "accountNumber" FROM app_user WHERE workspace_id = ? AND hash_id = ?`,
      [workspaceId, hashId],
    );
    if (!row) return undefined;
    const open = (field: 'name' | 'phone' | 'accountNumber') => {
      const sealed = row[field];
      return sealed ? { [field]: cipher.open(sealed, associatedData(workspaceId, hashId, field)) } : {};
    };
    return { ...open('name'), ...open('phone'), ...open('accountNumber') };
  },

  /** The time zone of a user; undefined if it is not known. */
  async timeZone(tx: Tx, workspaceId: string, hashId: string): Promise<string | undefined> {
    const row = await tx.sql.get<{ timeZone: string | null }>(
      'SELECT time_zone AS "timeZone" FROM app_user WHERE workspace_id = ? AND hash_id = ?',
      [workspaceId, hashId],
    );
    return row?.timeZone ?? undefined;
  },

  async exists(tx: Tx, workspaceId: string, hashId: string): Promise<boolean> {
    const row = await tx.sql.get('SELECT 1 AS one FROM app_user WHERE workspace_id = ? AND hash_id = ?', [
      workspaceId,
      hashId,
    ]);
    return row !== undefined;
  },
};

function mergeByUser(changes: readonly UserChange[]): Map<string, UserChange> {
  const merged = new Map<string, UserChange>();
  for (const change of changes) merged.set(change.hashId, { ...merged.get(change.hashId), ...change });
  return merged;
}

function rowOf(tx: Tx, cipher: Cipher, workspaceId: string, user: UserChange): SqlValue[] {
  const seal = (field: string, value: string | undefined) =>
    value === undefined ? null : cipher.seal(value, associatedData(workspaceId, user.hashId, field));
  return [
    workspaceId,
    user.hashId,
    user.userId,
    seal('name', user.name),
    seal('phone', user.phone),
    seal('accountNumber', user.accountNumber),
    seal('traits', user.traits && JSON.stringify(user.traits)),
    user.timeZone ?? null,
    user.locale ?? null,
    tx.now,
  ];
}

function upsertOf(rows: number): string {
  const row = `(${Array(COLUMNS).fill('?').join(', ')})`;
  return `INSERT INTO app_user (workspace_id, hash_id, user_id, name, phone, account_number, traits, time_zone, locale,
      updated_at) VALUES ${Array(rows).fill(row).join(', ')}
    ON CONFLICT (workspace_id, hash_id) DO UPDATE SET
      name = COALESCE(excluded.name, app_user.name),
      phone = COALESCE(excluded.phone, app_user.phone),
      account_number = COALESCE(excluded.account_number, app_user.account_number),
      traits = COALESCE(excluded.traits, app_user.traits),
      time_zone = COALESCE(excluded.time_zone, app_user.time_zone),
      locale = COALESCE(excluded.locale, app_user.locale),
      updated_at = excluded.updated_at`;
}

const associatedData = (workspaceId: string, hashId: string, field: string) =>
  `${workspaceId}/${hashId}/${field}`;
