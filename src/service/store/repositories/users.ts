import { MAX_TAG } from '../../../contract/limits.ts';
import type { Cipher } from '../../crypto/cipher.ts';
import type { TraitValue } from '../../domain/decide/content.ts';
import type { SqlValue, Tx } from '../store.ts';

/** What a caller says of a user; what is left out stays as it was. */
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

/** What a decision may know of a user. */
export interface KnownUser {
  readonly userId: string;
  readonly timeZone: string | null;
  readonly locale: string | null;
  readonly traits: Readonly<Record<string, TraitValue>>;
}

/** What a notification is filled from. Never leaves the service. */
export interface PersonalFields {
  readonly name?: string;
  readonly phone?: string;
  readonly accountNumber?: string;
}

const COLUMNS = 10;
/** Rows of one statement: a batch is cut into these, so that few different statements are prepared. */
const CHUNKS = [64, 8, 1];

export const users = {
  /**
   * Adds or changes users. A user named twice ends as the last mention says. Rows are locked by hashId, so that batches
   * that overlap wait for one another and do not meet in a deadlock.
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

  /** The user behind a hashId, without personal fields; undefined where nobody was identified by it. */
  async find(tx: Tx, cipher: Cipher, workspaceId: string, hashId: string): Promise<KnownUser | undefined> {
    const row = await tx.sql.get<Omit<KnownUser, 'traits'> & { traits: Uint8Array | null }>(
      // An earlier version took a locale of any length, and each decision would keep a copy of it.
      `SELECT user_id AS "userId", time_zone AS "timeZone",
         CASE WHEN octet_length(locale) <= ${MAX_TAG} THEN locale END AS locale, traits FROM app_user
       WHERE workspace_id = ? AND hash_id = ?`,
      [workspaceId, hashId],
    );
    if (!row) return undefined;
    const text = row.traits && cipher.open(row.traits, place(workspaceId, hashId, 'traits'));
    return { ...row, traits: text ? JSON.parse(text) : {} };
  },

  /** The personal fields of a user, opened; undefined for an unknown hashId. */
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
      return sealed ? { [field]: cipher.open(sealed, place(workspaceId, hashId, field)) } : {};
    };
    return { ...open('name'), ...open('phone'), ...open('accountNumber') };
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
    value === undefined ? null : cipher.seal(value, place(workspaceId, user.hashId, field));
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

const place = (workspaceId: string, hashId: string, field: string) => `${workspaceId}/${hashId}/${field}`;
