import type { SqlValue, Tx } from './store.ts';

/** A subscription as stored; secrets are sealed. Times are unix ms. */
export interface StoredWebhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly status: 'active' | 'disabled';
  readonly disabledReason: string | null;
  readonly leaseUntil: number | null;
  readonly createdAt: number;
}

/** How long a replaced secret goes on signing (docs/decisions.md, "Subscriptions"). */
export const ROTATION_MS = 24 * 3600 * 1000;

type Row = Omit<StoredWebhook, 'events'> & { events: string };

const COLUMNS = `webhook_id AS id, url, events, status, disabled_reason AS "disabledReason",
  lease_until AS "leaseUntil", created_at AS "createdAt"`;
/** A subscription whose lease has ended is gone, though its row may not be yet. */
const ALIVE = '(lease_until IS NULL OR lease_until > ?)';

const fromRow = (row: Row): StoredWebhook => ({ ...row, events: JSON.parse(row.events) as string[] });

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
    },
  ): Promise<void> {
    await tx.sql.run(
      `INSERT INTO webhook (workspace_id, webhook_id, url, events, status, secret, lease_until, created_at)
       VALUES (?, ?, ?, ?, 'active', ?, ?, ?)`,
      [
        workspaceId,
        webhook.id,
        webhook.url,
        JSON.stringify(webhook.events),
        webhook.secret,
        webhook.leaseMs === null ? null : tx.now + webhook.leaseMs,
        tx.now,
      ],
    );
  },

  async list(tx: Tx, workspaceId: string): Promise<StoredWebhook[]> {
    const rows = await tx.sql.all<Row>(
      `SELECT ${COLUMNS} FROM webhook WHERE workspace_id = ? AND ${ALIVE} ORDER BY created_at, webhook_id`,
      [workspaceId, tx.now],
    );
    return rows.map(fromRow);
  },

  async get(tx: Tx, workspaceId: string, id: string): Promise<StoredWebhook | undefined> {
    const row = await tx.sql.get<Row>(
      `SELECT ${COLUMNS} FROM webhook WHERE workspace_id = ? AND webhook_id = ? AND ${ALIVE}`,
      [workspaceId, id, tx.now],
    );
    return row && fromRow(row);
  },

  /** Changes what is given. Enabling forgets earlier failures. Returns false where there is no such subscription. */
  async update(
    tx: Tx,
    workspaceId: string,
    id: string,
    change: {
      url?: string | undefined;
      events?: readonly string[] | undefined;
      status?: 'active' | 'disabled' | undefined;
      leaseMs?: number | undefined;
    },
  ): Promise<boolean> {
    const sets: string[] = [];
    const values: SqlValue[] = [];
    const set = (column: string, value: SqlValue) => {
      sets.push(`${column} = ?`);
      values.push(value);
    };
    if (change.url !== undefined) set('url', change.url);
    if (change.events !== undefined) set('events', JSON.stringify(change.events));
    if (change.leaseMs !== undefined) set('lease_until', tx.now + change.leaseMs);
    if (change.status !== undefined) {
      set('status', change.status);
      set('disabled_reason', change.status === 'disabled' ? 'disabled by request' : null);
      if (change.status === 'active') set('failing_since', null);
    }
    if (sets.length === 0) set('webhook_id', id);
    const changed = await tx.sql.run(
      `UPDATE webhook SET ${sets.join(', ')} WHERE workspace_id = ? AND webhook_id = ? AND ${ALIVE}`,
      [...values, workspaceId, id, tx.now],
    );
    if (changed > 0 && change.status === 'active') await tx.notify('deliveries');
    return changed > 0;
  },

  /** Replaces the secret; the present one goes on signing for a day. */
  async rotate(tx: Tx, workspaceId: string, id: string, secret: Uint8Array): Promise<boolean> {
    const changed = await tx.sql.run(
      `UPDATE webhook SET previous_secret = secret, previous_until = ?, secret = ?
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
    if (gone > 0) await deleteDeliveries(tx, id);
    return gone > 0;
  },

  /** Switches a subscription off for a reason of ours. */
  async disable(tx: Tx, id: string, reason: string): Promise<void> {
    await tx.sql.run(
      "UPDATE webhook SET status = 'disabled', disabled_reason = ? WHERE webhook_id = ? AND status = 'active'",
      [reason, id],
    );
  },

  /** Removes up to `most` subscriptions whose lease has ended, with their deliveries; returns how many. */
  async purgeExpired(tx: Tx, most: number): Promise<number> {
    const expired = await tx.sql.all<{ id: string }>(
      `SELECT webhook_id AS id FROM webhook WHERE lease_until <= ? LIMIT ? ${tx.sql.dialect.skipLocked}`,
      [tx.now, most],
    );
    for (const { id } of expired) {
      await tx.sql.run('DELETE FROM webhook WHERE webhook_id = ?', [id]);
      await deleteDeliveries(tx, id);
    }
    return expired.length;
  },
};

/** Its subscription must be gone in this transaction. Locks the deliveries by id, before their attempts. */
async function deleteDeliveries(tx: Tx, webhookId: string): Promise<void> {
  const { forUpdate } = tx.sql.dialect;
  if (forUpdate !== '')
    await tx.sql.run(`SELECT 1 FROM delivery WHERE webhook_id = ? ORDER BY delivery_id ${forUpdate}`, [
      webhookId,
    ]);
  await tx.sql.run(
    'DELETE FROM delivery_attempt WHERE delivery_id IN (SELECT delivery_id FROM delivery WHERE webhook_id = ?)',
    [webhookId],
  );
  await tx.sql.run('DELETE FROM delivery WHERE webhook_id = ?', [webhookId]);
}
