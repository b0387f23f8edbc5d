import type { Tx } from '../platform/store/store.ts';

/** A process that serves from the store. */
export interface NodeProcess {
  readonly id: string;
  /** Name of its machine or container. */
  readonly host: string;
  readonly pid: number;
  /** Version of svc; null if the process does not say. */
  readonly version: string | null;
  /** What it alone does for all of them (Store.roles). */
  readonly roles: readonly string[];
}

/** A process, as the store last recorded it. */
export interface SeenNode extends NodeProcess {
  /** Unix ms. */
  readonly startedAt: number;
  /** When it last said that it is there, Unix ms. */
  readonly seenAt: number;
  /** True if it has not said so for a minute: it was killed, stands still, or cannot reach the store. */
  readonly silent: boolean;
}

/** Nodes that are listed, and kept: processes that restart in a loop leave one row each. */
const MAX_NODES = 200;
/** Four times the interval at which a node says that it is there (workers/node-record.ts). */
const SILENT_MS = 60_000;
/** A node that was not seen for so long is removed, in ms. */
const GONE_MS = 600_000;
/** Characters of a host name that are kept (RFC 1035: 253). */
const MAX_HOST = 253;

/** The processes that serve from the store. */
export const nodes = {
  /** Records that a node is there, and removes those that were not seen for long. `uptimeMs` is for a new row. */
  async seen(tx: Tx, { id, host, pid, version, roles }: NodeProcess, uptimeMs: number): Promise<void> {
    await tx.sql.run(
      `INSERT INTO node (node_id, host, pid, version, roles, started_at, seen_at) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (node_id) DO UPDATE SET roles = excluded.roles, seen_at = excluded.seen_at`,
      [
        id,
        host.slice(0, MAX_HOST),
        pid,
        version,
        JSON.stringify(roles),
        Math.round(tx.now - uptimeMs),
        tx.now,
      ],
    );
    await tx.sql.run(
      `DELETE FROM node WHERE seen_at < ? OR node_id NOT IN
        (SELECT node_id FROM node ORDER BY seen_at DESC, node_id LIMIT ${MAX_NODES})`,
      [tx.now - GONE_MS],
    );
  },

  async remove(tx: Tx, id: string): Promise<void> {
    await tx.sql.run('DELETE FROM node WHERE node_id = ?', [id]);
  },

  /** The nodes, by host and process. */
  async list(tx: Tx): Promise<SeenNode[]> {
    const rows = await tx.sql.all<Omit<SeenNode, 'roles' | 'silent'> & { roles: string }>(
      `SELECT node_id AS id, host, pid, version, roles, started_at AS "startedAt", seen_at AS "seenAt"
       FROM node WHERE seen_at >= ? ORDER BY host, pid, node_id LIMIT ${MAX_NODES}`,
      [tx.now - GONE_MS],
    );
    return rows.map(({ roles, pid, startedAt, seenAt, ...node }) => ({
      ...node,
      roles: JSON.parse(roles) as string[],
      pid: Number(pid),
      startedAt: Number(startedAt),
      seenAt: Number(seenAt),
      silent: tx.now - Number(seenAt) > SILENT_MS,
    }));
  },
};
