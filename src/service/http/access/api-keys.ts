import { createHash, randomBytes } from 'node:crypto';
import { newId } from '../../../kit/id.ts';
import type { Store, Tx } from '../../platform/store/store.ts';
import {
  type ClientSettings,
  clientSettingsOf,
  type StoredClientSettings,
  type StoredWorkspace,
} from '../../platform/store/workspaces.ts';

/** The kind of a key. A server key has that of its workspace's mode; a publishable key is for apps. */
export type KeyKind = 'live' | 'test' | 'publishable';

/** What is shown of a key; the key itself is not stored. */
export interface ApiKey {
  readonly keyId: string;
  readonly workspace: string;
  readonly kind: KeyKind;
  /** What the key is for, in words; null if nobody said so. */
  readonly name: string | null;
  /** Unix ms. */
  readonly createdAt: number;
  /** The key is refused from this time on; null if it has no end. */
  readonly endsAt: number | null;
  /** When a request last came with the key, to about a minute, Unix ms; null if none came. */
  readonly lastUsedAt: number | null;
}

/** What a key opens, and as what. */
export interface KeyHolder {
  readonly workspace: StoredWorkspace;
  readonly kind: KeyKind;
  readonly keyId: string;
  /** What the workspace says of publishable keys. */
  readonly clients: ClientSettings;
}

/** Keys per statement. */
const KEYS_PER_QUERY = 64;

/** Generates an API key. It is shown once; only its hash is stored. */
export function newApiKey(kind: KeyKind): string {
  return `${kind === 'publishable' ? PUBLISHABLE : `sk_${kind}_`}${randomBytes(24).toString('hex')}`;
}

/** What a publishable key begins with. */
const PUBLISHABLE = 'pk_';

/** The hash under which a key is stored. */
export const hashOfKey = (apiKey: string) => createHash('sha256').update(apiKey).digest('hex');

const COLUMNS = `key_id AS "keyId", workspace_id AS workspace, kind, name, created_at AS "createdAt",
  ends_at AS "endsAt", last_used_at AS "lastUsedAt"`;

export const apiKeys = {
  /** Stores a key, and returns its identifier. Does nothing else if it is stored, even if it was revoked. */
  async add(
    tx: Tx,
    workspaceId: string,
    apiKey: string,
    kind: KeyKind,
    name: string | null = null,
  ): Promise<string> {
    const keyId = newId('key');
    const added = await tx.sql.get<{ keyId: string }>(
      `INSERT INTO api_key (key_hash, key_id, workspace_id, kind, name, created_at) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (key_hash) DO NOTHING RETURNING key_id AS "keyId"`,
      [hashOfKey(apiKey), keyId, workspaceId, kind, name, tx.now],
    );
    return added?.keyId ?? (await apiKeys.idOf(tx, apiKey))!;
  },

  /** The identifier of a stored key; null for an unknown one. */
  async idOf(tx: Tx, apiKey: string): Promise<string | null> {
    const row = await tx.sql.get<{ keyId: string }>(
      'SELECT key_id AS "keyId" FROM api_key WHERE key_hash = ?',
      [hashOfKey(apiKey)],
    );
    return row?.keyId ?? null;
  },

  /** All keys of a workspace, or of all workspaces, oldest first. */
  async list(tx: Tx, workspaceId: string | undefined): Promise<ApiKey[]> {
    const where = workspaceId === undefined ? '' : 'WHERE workspace_id = ?';
    return tx.sql.all<ApiKey>(
      `SELECT ${COLUMNS} FROM api_key ${where} ORDER BY created_at, key_id`,
      workspaceId === undefined ? [] : [workspaceId],
    );
  },

  async get(tx: Tx, keyId: string): Promise<ApiKey | undefined> {
    return tx.sql.get<ApiKey>(`SELECT ${COLUMNS} FROM api_key WHERE key_id = ?`, [keyId]);
  },

  /** Ends a key at a time (Unix ms; 0 at once, whatever the clocks of the nodes say), unless it ends before. */
  async end(tx: Tx, keyId: string, at: number): Promise<void> {
    await tx.sql.run('UPDATE api_key SET ends_at = ? WHERE key_id = ? AND (ends_at IS NULL OR ends_at > ?)', [
      at,
      keyId,
      at,
    ]);
  },

  /** Returns whether a key was revoked; false for an unknown one. */
  async ended(tx: Tx, apiKey: string): Promise<boolean> {
    const row = await tx.sql.get<{ endsAt: number | null }>(
      'SELECT ends_at AS "endsAt" FROM api_key WHERE key_hash = ?',
      [hashOfKey(apiKey)],
    );
    return row?.endsAt != null && row.endsAt <= tx.now;
  },

  /** Which of these keys, given by their hashes, are valid now. */
  async valid(tx: Tx, hashes: readonly string[]): Promise<Set<string>> {
    const valid = new Set<string>();
    const placeholders = Array(KEYS_PER_QUERY).fill('?').join(', ');
    for (let from = 0; from < hashes.length; from += KEYS_PER_QUERY) {
      const part = hashes.slice(from, from + KEYS_PER_QUERY);
      const rows = await tx.sql.all<{ hash: string }>(
        `SELECT key_hash AS hash FROM api_key
         WHERE (ends_at IS NULL OR ends_at > ?) AND key_hash IN (${placeholders})`,
        [tx.now, ...part, ...Array<null>(KEYS_PER_QUERY - part.length).fill(null)],
      );
      for (const { hash } of rows) valid.add(hash);
    }
    return valid;
  },

  /** Stores that keys were used at a time (Unix ms), by their identifiers. A time that is stored never goes back. */
  async markUsed(tx: Tx, used: readonly (readonly [keyId: string, at: number])[]): Promise<void> {
    for (const [keyId, at] of used)
      await tx.sql.run(
        'UPDATE api_key SET last_used_at = ? WHERE key_id = ? AND (last_used_at IS NULL OR last_used_at < ?)',
        [at, keyId, at],
      );
  },

  /** What a valid API key opens; undefined for a key that is unknown or has ended. */
  async holderOf(store: Pick<Store, 'readOne'>, apiKey: string): Promise<KeyHolder | undefined> {
    const row = await store.readOne<
      StoredWorkspace & Pick<KeyHolder, 'kind' | 'keyId'> & Pick<ApiKey, 'endsAt'> & StoredClientSettings
    >(
      `SELECT w.workspace_id AS id, w.region, w.mode, w.frozen_at AS "frozenAt", k.kind, k.key_id AS "keyId", k.ends_at AS "endsAt",
              w.client_origins AS "clientOrigins", w.open_clients AS "openClients",
              w.client_events AS "clientEvents"
       FROM api_key k JOIN workspace w ON w.workspace_id = k.workspace_id WHERE k.key_hash = ?`,
      [hashOfKey(apiKey)],
    );
    if (!row) return undefined;
    const { id, region, mode, frozenAt, kind, keyId, endsAt, now, ...stored } = row;
    if (endsAt !== null && endsAt <= now) return undefined;
    return { workspace: { id, region, mode, frozenAt }, kind, keyId, clients: clientSettingsOf(stored) };
  },
};
