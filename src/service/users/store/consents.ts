import { listed } from '../../platform/store/listed.ts';
import type { Tx } from '../../platform/store/store.ts';
import type { ConsentScope, ConsentStatement } from '../consent.ts';

/** What users said about marketing. Opt-outs survive the erasure of a user, under the hashId. */
export const consents = {
  /** Adds statements of a user, in order. Each replaces the earlier ones within its scope. */
  async add(
    tx: Tx,
    workspaceId: string,
    hashId: string,
    statements: readonly ConsentStatement[],
  ): Promise<void> {
    for (const { state, ...scope } of statements) {
      const { channel, category } = columnsOf(scope);
      await tx.sql.run(
        `DELETE FROM consent WHERE workspace_id = ? AND hash_id = ? AND (? = '' OR channel = ?)
           AND (? = '' OR category = ?)`,
        [workspaceId, hashId, channel, channel, category, category],
      );
      await tx.sql.run(
        `INSERT INTO consent (workspace_id, hash_id, channel, category, state, at_ms) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (workspace_id, hash_id, channel, category) DO UPDATE SET state = excluded.state,
           at_ms = excluded.at_ms`,
        [workspaceId, hashId, channel, category, state, tx.now],
      );
    }
  },

  /** What users refuse, by hashId, from the widest scope to the narrowest. */
  async refusalsOf(
    tx: Tx,
    workspaceId: string,
    hashIds: readonly string[],
  ): Promise<ReadonlyMap<string, readonly ConsentScope[]>> {
    const byUser = listed(tx.sql.dialect, 'hash_id', hashIds);
    const rows = await tx.sql.all<{ hashId: string; channel: string; category: string }>(
      `SELECT hash_id AS "hashId", channel, category FROM consent WHERE workspace_id = ? AND ${byUser.text}
         AND state = 'out' ORDER BY category, channel`,
      [workspaceId, byUser.param],
    );
    const refusals = new Map<string, ConsentScope[]>();
    for (const { hashId, ...scope } of rows)
      refusals.set(hashId, [...(refusals.get(hashId) ?? []), scopeOf(scope)]);
    return refusals;
  },

  /** The statements of a user, from the widest scope to the narrowest. */
  async ofUser(
    tx: Tx,
    workspaceId: string,
    hashId: string,
  ): Promise<(ConsentStatement & { readonly at: number })[]> {
    const rows = await tx.sql.all<{ channel: string; category: string; state: 'in' | 'out'; at: number }>(
      `SELECT channel, category, state, at_ms AS at FROM consent WHERE workspace_id = ? AND hash_id = ?
       ORDER BY category, channel`,
      [workspaceId, hashId],
    );
    return rows.map(({ state, at, ...scope }) => ({ ...scopeOf(scope), state, at }));
  },
};

const columnsOf = ({ channel, category }: ConsentScope) => ({
  channel: channel ?? '',
  category: category ?? '',
});

const scopeOf = ({ channel, category }: { channel: string; category: string }): ConsentScope => ({
  channel: channel === '' ? null : channel,
  category: category === '' ? null : category,
});
