import { randomBytes } from 'node:crypto';
import { listed } from './listed.ts';
import { TOPICS, type Tx } from './store.ts';

export interface Workspace {
  readonly id: string;
  /** Its region; null if the service has no regions. */
  readonly region: string | null;
  readonly mode: Mode;
}

export interface StoredWorkspace extends Workspace {
  /** Since when it rests, Unix ms; null while it works. */
  readonly frozenAt: number | null;
}

/** A test workspace sends notifications to the outbox only. */
export type Mode = 'live' | 'test';

/** What a workspace says of apps that use its publishable keys. */
export interface ClientSettings {
  /** The origins of web pages that may (RFC 6454), or `*` for any; apps that send no origin always may. */
  readonly origins: readonly string[];
  /** Requests need no user token. Only in effect in a test workspace. */
  readonly open: boolean;
  /** The events that apps may track; undefined for any. */
  readonly events?: ClientEvents | undefined;
}

/** Events that apps may track: by name, the names of their properties, or null for any. */
export type ClientEvents = Readonly<Record<string, readonly string[] | null>>;

/** The client settings as the columns have them. */
export interface StoredClientSettings {
  /** A JSON list; null if there is none. */
  readonly clientOrigins: string | null;
  readonly openClients: number;
  /** JSON of ClientEvents; null for any. */
  readonly clientEvents: string | null;
}

export const clientSettingsOf = ({
  clientOrigins,
  openClients,
  clientEvents,
}: StoredClientSettings): ClientSettings => ({
  origins: clientOrigins === null ? [] : (JSON.parse(clientOrigins) as string[]),
  open: openClients === 1,
  events: clientEvents === null ? undefined : (JSON.parse(clientEvents) as ClientEvents),
});

const WORKSPACE_COLUMNS = 'workspace_id AS id, region, mode, frozen_at AS "frozenAt"';

export const workspaces = {
  /** Adds the row of a workspace (admin/create-workspace.ts). Returns false if one with this id exists. */
  async create(tx: Tx, { id, region, mode }: Workspace): Promise<boolean> {
    const created = await tx.sql.run(
      `INSERT INTO workspace (workspace_id, region, mode, hash_key, created_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (workspace_id) DO NOTHING`,
      [id, region, mode, randomBytes(32), tx.now],
    );
    return created > 0;
  },

  /** All workspaces, oldest first. */
  async list(tx: Tx): Promise<(StoredWorkspace & { createdAt: number })[]> {
    return tx.sql.all(
      `SELECT ${WORKSPACE_COLUMNS}, created_at AS "createdAt" FROM workspace ORDER BY created_at, workspace_id`,
    );
  },

  async get(tx: Tx, id: string): Promise<StoredWorkspace | undefined> {
    return tx.sql.get<StoredWorkspace>(`SELECT ${WORKSPACE_COLUMNS} FROM workspace WHERE workspace_id = ?`, [
      id,
    ]);
  },

  async setMode(tx: Tx, id: string, mode: Mode): Promise<void> {
    await tx.sql.run('UPDATE workspace SET mode = ? WHERE workspace_id = ?', [mode, id]);
  },

  async setRegion(tx: Tx, id: string, region: string): Promise<void> {
    await tx.sql.run('UPDATE workspace SET region = ? WHERE workspace_id = ?', [region, id]);
  },

  /**
   * Freezes workspaces, which rest from the next transaction on: requests are answered with 503, and no worker takes up
   * work of theirs. Those that rest already stay as they are.
   */
  async freeze(tx: Tx, ids: readonly string[]): Promise<void> {
    const { text, param } = listed(tx.sql.dialect, 'workspace_id', ids);
    await tx.sql.run(`UPDATE workspace SET frozen_at = ? WHERE frozen_at IS NULL AND ${text}`, [
      tx.now,
      param,
    ]);
    await tx.notify('settings');
  },

  /** Ends the rest of frozen workspaces, and tells the workers. */
  async open(tx: Tx, ids: readonly string[]): Promise<void> {
    const { text, param } = listed(tx.sql.dialect, 'workspace_id', ids);
    await tx.sql.run(`UPDATE workspace SET frozen_at = NULL WHERE ${text}`, [param]);
    for (const topic of TOPICS) await tx.notify(topic);
  },

  /** The workspaces that rest. */
  async frozen(tx: Tx): Promise<ReadonlySet<string>> {
    const rows = await tx.sql.all<{ id: string }>(
      'SELECT workspace_id AS id FROM workspace WHERE frozen_at IS NOT NULL',
    );
    return new Set(rows.map(({ id }) => id));
  },

  async clientSettings(tx: Tx, id: string): Promise<ClientSettings> {
    const row = await tx.sql.get<StoredClientSettings>(
      `SELECT client_origins AS "clientOrigins", open_clients AS "openClients", client_events AS "clientEvents"
       FROM workspace WHERE workspace_id = ?`,
      [id],
    );
    return clientSettingsOf(row!);
  },

  async setClientSettings(tx: Tx, id: string, { origins, open, events }: ClientSettings): Promise<void> {
    await tx.sql.run(
      'UPDATE workspace SET client_origins = ?, open_clients = ?, client_events = ? WHERE workspace_id = ?',
      [
        origins.length === 0 ? null : JSON.stringify(origins),
        open ? 1 : 0,
        events === undefined ? null : JSON.stringify(events),
        id,
      ],
    );
  },

  /** Whether any workspace admits web pages of an origin. */
  async admitsOrigin(tx: Tx, origin: string): Promise<boolean> {
    const rows = await tx.sql.all<{ origins: string }>(
      'SELECT DISTINCT client_origins AS origins FROM workspace WHERE client_origins IS NOT NULL',
    );
    return rows.some(({ origins }) => {
      const all = JSON.parse(origins) as string[];
      return all.includes(origin) || all.includes('*');
    });
  },

  /** Up to `limit` identifiers, in order, after `after`. */
  async ids(tx: Tx, after: string, limit: number): Promise<string[]> {
    const rows = await tx.sql.all<{ id: string }>(
      'SELECT workspace_id AS id FROM workspace WHERE workspace_id > ? ORDER BY workspace_id LIMIT ?',
      [after, limit],
    );
    return rows.map(({ id }) => id);
  },

  async first(tx: Tx): Promise<Workspace | undefined> {
    return tx.sql.get<Workspace>(
      `SELECT ${WORKSPACE_COLUMNS} FROM workspace ORDER BY created_at, workspace_id LIMIT 1`,
    );
  },

  /** The random key with which a workspace hashes user identifiers. */
  async hashKey(tx: Tx, id: string): Promise<Uint8Array> {
    const row = await tx.sql.get<{ key: Uint8Array }>(
      'SELECT hash_key AS key FROM workspace WHERE workspace_id = ?',
      [id],
    );
    if (!row) throw new Error(`workspace ${id} does not exist`);
    return row.key;
  },
};
