import { due } from '../../platform/store/due.ts';
import { type Page, readPage } from '../../platform/store/pages.ts';
import type { SqlValue, Tx } from '../../platform/store/store.ts';
import { fanOuts } from './fan-outs.ts';
import { namesMore } from './named-kinds.ts';

/** A stored subscription. Secrets are encrypted; times are unix ms. */
export interface StoredWebhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly status: 'active' | 'disabled';
  readonly disabledReason: string | null;
  /** When it was disabled last; null if it never was. */
  readonly disabledAt: number | null;
  readonly leaseUntil: number | null;
  readonly createdAt: number;
  /** Number of the signing secret: 1, and one more with each rotation. */
  readonly secretVersion: number;
  readonly secretSince: number;
  /** Since when no attempt succeeded; null if the latest did. */
  readonly failingSince: number | null;
  /** Which outcomes of its kinds it gets; null for all. */
  readonly filter: string | null;
  readonly description: string | null;
  /** Deliveries a second at most; null without a limit. */
  readonly maxRate: number | null;
  /** Names of the static headers. */
  readonly headerNames: readonly string[];
}

/** Static headers: their names, and sealed with their values. */
export interface SealedHeaders {
  readonly names: readonly string[];
  readonly sealed: Uint8Array;
}

/** How long a replaced secret continues to sign deliveries (docs/design-choices.md, "Subscriptions"). */
const ROTATION_MS = 24 * 3600 * 1000;

type Row = Omit<StoredWebhook, 'events' | 'headerNames'> & { events: string; headerNames: string | null };

const COLUMNS = `webhook_id AS id, url, events, status, disabled_reason AS "disabledReason",
  disabled_at AS "disabledAt", lease_until AS "leaseUntil", created_at AS "createdAt", secret_version AS "secretVersion",
  COALESCE(previous_until - ${ROTATION_MS}, created_at) AS "secretSince", failing_since AS "failingSince", filter, description, max_rate AS "maxRate",
  header_names AS "headerNames"`;
/** A subscription whose lease has expired counts as deleted, even if its row still exists. */
const ALIVE = '(lease_until IS NULL OR lease_until > ?)';

const fromRow = (row: Row): StoredWebhook => ({
  ...row,
  events: JSON.parse(row.events) as string[],
  headerNames: JSON.parse(row.headerNames ?? '[]') as string[],
});

export const webhooks = {
  async create(
    tx: Tx,
    workspaceId: string,
    webhook: {
      id: string;
      url: string;
      events: readonly string[];
      secret: Uint8Array;
      leaseMs: number | null;
      filter?: string | null;
      description?: string | null;
      maxRate?: number | null;
      headers?: SealedHeaders | undefined;
      /** It catches up before it gets what occurs. */
      inOrder?: boolean;
    },
  ): Promise<void> {
    await tx.sql.run(
      `INSERT INTO webhook (workspace_id, webhook_id, url, events, status, secret, lease_until, created_at, filter,
         description, max_rate, names_more, header_names, headers, in_order)
       VALUES (?, ?, ?, ?, 'active', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        workspaceId,
        webhook.id,
        webhook.url,
        JSON.stringify(webhook.events),
        webhook.secret,
        webhook.leaseMs === null ? null : tx.now + webhook.leaseMs,
        tx.now,
        webhook.filter || null,
        webhook.description || null,
        webhook.maxRate ?? null,
        namesMore(webhook.events),
        webhook.headers ? JSON.stringify(webhook.headers.names) : null,
        webhook.headers?.sealed ?? null,
        Number(webhook.inOrder ?? false),
      ],
    );
    await cleanSooner(tx, workspaceId, webhook.events);
  },

  /** Counts the subscriptions of a workspace, and blocks other transactions from adding any. */
  async countAndLock(tx: Tx, workspaceId: string): Promise<number> {
    await tx.lock(`subscriptions of ${workspaceId}`);
    const row = await tx.sql.get<{ n: number }>(
      `SELECT count(*) AS n FROM webhook WHERE workspace_id = ? AND ${ALIVE}`,
      [workspaceId, tx.now],
    );
    return row!.n;
  },

  /** A page of the subscriptions of a workspace, oldest first, after the position `after`. */
  async list(
    tx: Tx,
    workspaceId: string,
    limit: number,
    after: { readonly at: number; readonly id: string } = { at: -1, id: '' },
  ): Promise<Page<StoredWebhook>> {
    const { rows, more } = await readPage<Row>(tx, {
      columns: COLUMNS,
      long: ['url', 'events', 'disabled_reason', 'filter', 'description', 'header_names'],
      from: `webhook WHERE workspace_id = ? AND ${ALIVE} AND (created_at, webhook_id) > (?, ?)`,
      params: [workspaceId, tx.now, after.at, after.id],
      order: 'created_at, webhook_id',
      limit,
    });
    return { rows: rows.map(fromRow), more };
  },

  async get(tx: Tx, workspaceId: string, id: string): Promise<StoredWebhook | undefined> {
    const row = await tx.sql.get<Row>(
      `SELECT ${COLUMNS} FROM webhook WHERE workspace_id = ? AND webhook_id = ? AND ${ALIVE}`,
      [workspaceId, id, tx.now],
    );
    return row && fromRow(row);
  },

  /** Updates the given fields. Enabling clears earlier failures. Returns false if there is no such subscription. */
  async update(
    tx: Tx,
    workspaceId: string,
    id: string,
    change: {
      url?: string | undefined;
      events?: readonly string[] | undefined;
      status?: 'active' | 'disabled' | undefined;
      leaseMs?: number | undefined;
      /** An empty text removes it. */
      filter?: string | undefined;
      description?: string | undefined;
      /** Null removes it. */
      maxRate?: number | null | undefined;
      /** Replaces all. */
      headers?: SealedHeaders | undefined;
    },
  ): Promise<boolean> {
    const sets: string[] = [];
    const values: SqlValue[] = [];
    const set = (column: string, value: SqlValue) => {
      sets.push(`${column} = ?`);
      values.push(value);
    };
    if (change.url !== undefined) set('url', change.url);
    if (change.events !== undefined) {
      set('events', JSON.stringify(change.events));
      set('names_more', namesMore(change.events));
    }
    if (change.filter !== undefined) set('filter', change.filter || null);
    if (change.description !== undefined) set('description', change.description || null);
    if (change.maxRate !== undefined) set('max_rate', change.maxRate);
    if (change.headers !== undefined) {
      set('header_names', JSON.stringify(change.headers.names));
      set('headers', change.headers.sealed);
    }
    if (change.leaseMs !== undefined) set('lease_until', tx.now + change.leaseMs);
    if (change.status === 'active') set('failing_since', null);
    if (sets.length === 0) set('webhook_id', id);
    const changed = await tx.sql.run(
      `UPDATE webhook SET ${sets.join(', ')} WHERE workspace_id = ? AND webhook_id = ? AND ${ALIVE}`,
      [...values, workspaceId, id, tx.now],
    );
    if (changed > 0 && change.events !== undefined) await cleanSooner(tx, workspaceId, change.events);
    if (changed > 0 && change.status === 'disabled')
      await webhooks.disable(tx, workspaceId, id, 'disabled by request');
    if (changed > 0 && change.status === 'active') {
      await setStatus(tx, workspaceId, id, 'active', null);
      await due.mark(tx, workspaceId, 'deliveries');
      // What it was catching up with when it was disabled.
      await due.mark(tx, workspaceId, 'catch-up');
      await tx.notify('deliveries');
    }
    return changed > 0;
  },

  /** Replaces the secret. The old one continues to sign deliveries for ROTATION_MS. */
  async rotate(tx: Tx, workspaceId: string, id: string, secret: Uint8Array): Promise<boolean> {
    const changed = await tx.sql.run(
      `UPDATE webhook SET previous_secret = secret, previous_until = ?, secret = ?, secret_version = secret_version + 1
       WHERE workspace_id = ? AND webhook_id = ? AND ${ALIVE}`,
      [tx.now + ROTATION_MS, secret, workspaceId, id, tx.now],
    );
    return changed > 0;
  },

  async delete(tx: Tx, workspaceId: string, id: string): Promise<boolean> {
    const gone = await tx.sql.run(
      `DELETE FROM webhook WHERE workspace_id = ? AND webhook_id = ? AND ${ALIVE}`,
      [workspaceId, id, tx.now],
    );
    if (gone > 0) {
      await dropDeliveries(tx, workspaceId, id);
      await due.mark(tx, workspaceId, 'clean');
    }
    return gone > 0;
  },

  /** Disables a subscription that is active and stores the reason. Returns false if it was not. */
  async disable(tx: Tx, workspaceId: string, id: string, reason: string): Promise<boolean> {
    const disabled = await setStatus(tx, workspaceId, id, 'disabled', reason);
    await endCatchUp(tx, workspaceId, id);
    return disabled;
  },

  /** Deletes up to `limit` subscriptions whose lease has expired. Returns how many. */
  async purgeExpired(tx: Tx, workspaceId: string, limit: number): Promise<number> {
    const expired = await tx.sql.all<{ id: string }>(
      `SELECT webhook_id AS id FROM webhook WHERE workspace_id = ? AND lease_until <= ? LIMIT ?
       ${tx.sql.dialect.skipLocked}`,
      [workspaceId, tx.now, limit],
    );
    for (const { id } of expired) {
      await tx.sql.run('DELETE FROM webhook WHERE workspace_id = ? AND webhook_id = ?', [workspaceId, id]);
      await dropDeliveries(tx, workspaceId, id);
    }
    return expired.length;
  },
};

/** Some kinds are told by the removal of what is old, which may come an hour later where nobody named them. */
async function cleanSooner(tx: Tx, workspaceId: string, events: readonly string[]): Promise<void> {
  if (namesMore(events) === 1) await due.mark(tx, workspaceId, 'clean');
}

/** Sets the status of a subscription, and tells others of a change. Returns whether there is one. */
async function setStatus(
  tx: Tx,
  workspaceId: string,
  webhookId: string,
  status: StoredWebhook['status'],
  reason: string | null,
): Promise<boolean> {
  const changed = await tx.sql.run(
    `UPDATE webhook SET status = ?, disabled_reason = ?, disabled_at = COALESCE(?, disabled_at), in_order = 0
     WHERE workspace_id = ? AND webhook_id = ? AND status <> ?`,
    [status, reason, status === 'disabled' ? tx.now : null, workspaceId, webhookId, status],
  );
  if (changed === 0) return false;
  const kind = status === 'disabled' ? 'subscription.disabled' : 'subscription.enabled';
  await fanOuts.tell(tx, workspaceId, kind, { webhookId, ...(reason !== null && { reason }) });
  return true;
}

/** What occurs from now on was not asked for: a subscription that was disabled catches up with what was before. */
async function endCatchUp(tx: Tx, workspaceId: string, webhookId: string): Promise<void> {
  await tx.sql.run(
    `UPDATE catch_up SET stop_at = ?, until_at = CASE WHEN until_at < ? THEN ? ELSE until_at END
     WHERE workspace_id = ? AND webhook_id = ? AND stop_at IS NULL`,
    [tx.now, tx.now, tx.now, workspaceId, webhookId],
  );
}

/** Marks the deliveries of a deleted subscription for deletion in batches (purgeDeliveries.dropped). */
async function dropDeliveries(tx: Tx, workspaceId: string, webhookId: string): Promise<void> {
  for (const table of ['catch_up', 'redelivery', 'webhook_performance'])
    await tx.sql.run(`DELETE FROM ${table} WHERE workspace_id = ? AND webhook_id = ?`, [
      workspaceId,
      webhookId,
    ]);
  await tx.sql.run('INSERT INTO dropped_webhook (workspace_id, webhook_id) VALUES (?, ?)', [
    workspaceId,
    webhookId,
  ]);
}
