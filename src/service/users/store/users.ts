import type { TraitValue } from '../../catalog/content.ts';
import type { Cipher } from '../../platform/crypto/cipher.ts';
import { listed } from '../../platform/store/listed.ts';
import { insertRows } from '../../platform/store/rows.ts';
import type { SqlValue, Tx } from '../../platform/store/store.ts';
import { userKeys } from './user-keys.ts';

/** An update of a user. Omitted fields keep their value; null clears one. */
export interface UserChange {
  readonly userId: string;
  readonly hashId: string;
  readonly name?: string | null | undefined;
  readonly phone?: string | null | undefined;
  readonly phones?: readonly string[] | null | undefined;
  readonly emails?: readonly string[] | null | undefined;
  readonly accountNumber?: string | null | undefined;
  readonly timeZone?: string | null | undefined;
  readonly locale?: string | null | undefined;
  readonly traits?: Readonly<Record<string, TraitValue>> | null | undefined;
}

/** The fields of a user that a decision may use. */
export interface KnownUser {
  readonly userId: string;
  readonly timeZone: string | null;
  readonly locale: string | null;
  readonly traits: Readonly<Record<string, TraitValue>>;
}

/** The personal fields of a user. They never leave the service. */
export interface PersonalFields {
  readonly name?: string;
  readonly phone?: string;
  readonly accountNumber?: string;
  /** Further phone numbers and e-mail addresses, the preferred one first. */
  readonly phones?: readonly string[];
  readonly emails?: readonly string[];
}

/** The columns of the fields that can be changed. Those that are sealed name what they are sealed for. */
const FIELDS = [
  { field: 'name', column: 'name', sealed: true },
  { field: 'phone', column: 'phone', sealed: true },
  { field: 'accountNumber', column: 'account_number', sealed: true },
  { field: 'phones', column: 'phones', sealed: true },
  { field: 'emails', column: 'emails', sealed: true },
  { field: 'traits', column: 'traits', sealed: true },
  { field: 'timeZone', column: 'time_zone', sealed: false },
  { field: 'locale', column: 'locale', sealed: false },
] as const;

const COLUMNS = FIELDS.map(({ column }) => column);
const UPSERT = `ON CONFLICT (workspace_id, hash_id) DO UPDATE SET
  ${COLUMNS.map((column) => `${column} = COALESCE(excluded.${column}, app_user.${column})`).join(', ')},
  updated_at = excluded.updated_at,
  run_at = CASE WHEN app_user.created_run = excluded.created_run THEN app_user.run_at END`;

/** The key of a user, in a statement on app_user. */
const USER_KEY = `(SELECT k.sealed FROM user_key k WHERE k.workspace_id = app_user.workspace_id
  AND k.hash_id = app_user.hash_id) AS "userKey"`;

export const users = {
  /**
   * Inserts or updates users. If a user appears twice, the last values win. Rows are locked in the order of their
   * hashId, so that overlapping batches cannot deadlock. `run` is the run of an import that sends them.
   */
  async upsert(
    tx: Tx,
    cipher: Cipher,
    workspaceId: string,
    changes: readonly UserChange[],
    run?: string,
  ): Promise<void> {
    const merged = [...mergeByUser(changes).values()].sort((a, b) => (a.hashId < b.hashId ? -1 : 1));
    const hashIds = merged.filter(hasSealed).map(({ hashId }) => hashId);
    const ciphers = await userKeys.ensure(tx, cipher, workspaceId, hashIds);
    const rows = merged.map((user) => rowOf(tx, ciphers.get(user.hashId) ?? cipher, workspaceId, user, run));
    await insertRows(
      tx,
      `INSERT INTO app_user (workspace_id, hash_id, user_id, updated_at, created_run, run_at, ${COLUMNS.join(', ')})`,
      rows,
      UPSERT,
    );
    for (const user of merged) {
      const cleared = FIELDS.filter(({ field }) => user[field] === null).map(
        ({ column }) => `${column} = NULL`,
      );
      if (cleared.length > 0)
        await tx.sql.run(`UPDATE app_user SET ${cleared.join(', ')} WHERE workspace_id = ? AND hash_id = ?`, [
          workspaceId,
          user.hashId,
        ]);
    }
  },

  /** Notes that a user is used, whom an undo of the import that created the user then leaves. */
  async markUsed(tx: Tx, workspaceId: string, hashId: string): Promise<void> {
    await tx.sql.run(
      'UPDATE app_user SET run_at = NULL WHERE workspace_id = ? AND hash_id = ? AND run_at IS NOT NULL',
      [workspaceId, hashId],
    );
  },

  /** The user with a hashId, without personal fields; undefined if unknown. */
  async find(tx: Tx, cipher: Cipher, workspaceId: string, hashId: string): Promise<KnownUser | undefined> {
    const row = await tx.sql.get<
      Omit<KnownUser, 'traits'> & { traits: Uint8Array | null; userKey: Uint8Array | null }
    >(
      `SELECT user_id AS "userId", time_zone AS "timeZone", locale, traits, ${USER_KEY} FROM app_user
       WHERE workspace_id = ? AND hash_id = ?`,
      [workspaceId, hashId],
    );
    if (!row) return undefined;
    const { userKey, traits, ...known } = row;
    const own = traits && userKeys.cipherOf(cipher, workspaceId, hashId, userKey);
    const text = own && traits && own.open(traits, associatedData(workspaceId, hashId, 'traits'));
    return { ...known, traits: text ? JSON.parse(text) : {} };
  },

  /** The decrypted personal fields of a user; undefined for an unknown hashId. */
  async personal(
    tx: Tx,
    cipher: Cipher,
    workspaceId: string,
    hashId: string,
  ): Promise<PersonalFields | undefined> {
    const row = await tx.sql.get<SealedFields>(
      `SELECT ${SEALED} FROM app_user WHERE workspace_id = ? AND hash_id = ?`,
      [workspaceId, hashId],
    );
    return row && opened(cipher, workspaceId, row);
  },

  /** The decrypted personal fields of users, by hashId, with the traits of each as JSON. */
  async personalOf(
    tx: Tx,
    cipher: Cipher,
    workspaceId: string,
    hashIds: readonly string[],
  ): Promise<ReadonlyMap<string, PersonalFields & { readonly traits?: string }>> {
    const byHash = listed(tx.sql.dialect, 'hash_id', hashIds);
    const rows = await tx.sql.all<SealedFields & { traits: Uint8Array | null }>(
      `SELECT ${SEALED}, traits FROM app_user WHERE workspace_id = ? AND ${byHash.text}`,
      [workspaceId, byHash.param],
    );
    return new Map(rows.map((row) => [row.hashId, opened(cipher, workspaceId, row)]));
  },

  /** The time zone of a user; undefined if it is not known. */
  async timeZone(tx: Tx, workspaceId: string, hashId: string): Promise<string | undefined> {
    const row = await tx.sql.get<{ timeZone: string | null }>(
      'SELECT time_zone AS "timeZone" FROM app_user WHERE workspace_id = ? AND hash_id = ?',
      [workspaceId, hashId],
    );
    return row?.timeZone ?? undefined;
  },

  /**
   * Returns whether there is this user, and locks the row against an erasure until the transaction ends: for writes,
   * since a read-only transaction of PostgreSQL may not lock.
   */
  async existsAndLock(tx: Tx, workspaceId: string, hashId: string): Promise<boolean> {
    const row = await tx.sql.get(
      `SELECT 1 AS one FROM app_user WHERE workspace_id = ? AND hash_id = ? ${tx.sql.dialect.forKeyShare}`,
      [workspaceId, hashId],
    );
    return row !== undefined;
  },
};

/** A row of the columns SEALED. */
type SealedFields = { hashId: string; userKey: Uint8Array | null } & Record<
  keyof PersonalFields,
  Uint8Array | null
>;

const SEALED = `hash_id AS "hashId", name, phone, account_number AS "accountNumber", phones, emails, ${USER_KEY}`;

/** The fields of a row that are there, decrypted. */
function opened(
  cipher: Cipher,
  workspaceId: string,
  row: SealedFields & { readonly traits?: Uint8Array | null },
): PersonalFields & { readonly traits?: string } {
  const own = userKeys.cipherOf(cipher, workspaceId, row.hashId, row.userKey);
  const open = (field: keyof PersonalFields | 'traits') => {
    const sealed = row[field];
    if (!sealed) return {};
    const text = own.open(sealed, associatedData(workspaceId, row.hashId, field));
    return { [field]: field === 'phones' || field === 'emails' ? JSON.parse(text) : text };
  };
  return {
    ...open('name'),
    ...open('phone'),
    ...open('accountNumber'),
    ...open('phones'),
    ...open('emails'),
    ...open('traits'),
  };
}

function mergeByUser(changes: readonly UserChange[]): Map<string, UserChange> {
  const merged = new Map<string, UserChange>();
  for (const change of changes) merged.set(change.hashId, { ...merged.get(change.hashId), ...change });
  return merged;
}

const hasSealed = (user: UserChange) =>
  FIELDS.some(({ field, sealed }) => sealed && user[field] !== undefined && user[field] !== null);

function rowOf(
  tx: Tx,
  cipher: Cipher,
  workspaceId: string,
  user: UserChange,
  run: string | undefined,
): SqlValue[] {
  const columnValue = ({ field, sealed }: (typeof FIELDS)[number]): SqlValue => {
    const value = user[field];
    if (value === undefined || value === null) return null;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return sealed ? cipher.seal(text, associatedData(workspaceId, user.hashId, field)) : text;
  };
  const ofRun = run === undefined ? [null, null] : [run, tx.now];
  return [workspaceId, user.hashId, user.userId, tx.now, ...ofRun, ...FIELDS.map(columnValue)];
}

const associatedData = (workspaceId: string, hashId: string, field: string) =>
  `${workspaceId}/${hashId}/${field}`;
