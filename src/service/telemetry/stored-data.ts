import type { Clock } from '../../kit/clock.ts';
import { pipeline } from '../platform/store/pipeline.ts';
import { tableSizes as postgresSizes } from '../platform/store/postgres/table-sizes.ts';
import { tableSizes as sqliteSizes } from '../platform/store/sqlite/table-sizes.ts';
import type { Store, Tx } from '../platform/store/store.ts';

/** Tables whose rows are counted for a workspace, by what they hold. */
const KINDS = {
  users: 'app_user',
  events: 'event',
  decisions: 'decision',
  messages: 'message',
  outcomes: 'outcome',
  notifications: 'notification',
  subscriptions: 'webhook',
  deliveries: 'delivery',
  attempts: 'delivery_attempt',
} as const;
/** Most rows that are counted of a table. */
const MOST_ROWS = 5_000;
/** How long sizes are kept. */
const KEPT_MS = 300_000;
/** The share of all from which another table has a line of its own. */
const LARGE = 0.02;

/** What is stored of one kind. */
export interface StoredData {
  /** What it is, or the name of a table; `other` for all others, and `free` for pages that wait for new rows. */
  readonly kind: string;
  /** The rows of the workspace, counted up to a bound; null where they are not counted. */
  readonly rows: number | null;
  /** True if there are more. */
  readonly more: boolean;
  /** What the table takes with its indexes, of all workspaces; null where it is not known. */
  readonly bytes: number | null;
}

/** Reads what is stored of a workspace. Sizes are measured every five minutes at most. */
export class DataReader {
  readonly #store: Store;
  readonly #clock: Pick<Clock, 'now'>;
  #sizes: { readonly at: number; readonly read: Promise<Map<string, number> | undefined> } | undefined;

  constructor(store: Store, clock: Pick<Clock, 'now'>) {
    this.#store = store;
    this.#clock = clock;
  }

  async read(workspaceId: string): Promise<StoredData[]> {
    const sizes = await this.#measured();
    const counted = await this.#store.read((tx) => countRows(tx, workspaceId));
    const tables: readonly string[] = Object.values(KINDS);
    const kinds = counted.map(({ table, ...rest }) => ({ ...rest, bytes: sizes?.get(table) ?? null }));
    const others = [...(sizes ?? [])].filter(([name]) => name !== '' && !tables.includes(name));
    const all = [...(sizes?.values() ?? [])].reduce((sum, bytes) => sum + bytes, 0);
    const large = others.filter(([, bytes]) => bytes >= LARGE * all);
    const small = others.filter(([, bytes]) => bytes < LARGE * all);
    const line = (kind: string, bytes: number) => ({ kind, rows: null, more: false, bytes });
    return [
      ...kinds,
      ...large.map(([name, bytes]) => line(name, bytes)),
      ...(sizes
        ? [
            line(
              'other',
              small.reduce((sum, [, bytes]) => sum + bytes, 0),
            ),
          ]
        : []),
      ...(sizes?.has('') ? [line('free', sizes.get('')!)] : []),
    ];
  }

  #measured(): Promise<Map<string, number> | undefined> {
    const now = this.#clock.now();
    if (this.#sizes && now - this.#sizes.at < KEPT_MS) return this.#sizes.read;
    const read = this.#store.read((tx) =>
      tx.sql.dialect.name === 'postgres' ? postgresSizes(tx.sql) : sqliteSizes(tx.sql),
    );
    this.#sizes = { at: now, read };
    read.catch(() => {
      this.#sizes = undefined;
    });
    return read;
  }
}

/** The rows of a workspace by what they hold, each counted up to MOST_ROWS. */
function countRows(
  tx: Tx,
  workspaceId: string,
): Promise<
  { readonly kind: string; readonly table: string; readonly rows: number; readonly more: boolean }[]
> {
  return pipeline(
    Object.entries(KINDS).map(async ([kind, table]) => {
      const row = await tx.sql.get<{ n: number }>(
        `SELECT COUNT(*) AS n FROM (SELECT 1 AS one FROM ${table} WHERE workspace_id = ? LIMIT ?) AS t`,
        [workspaceId, MOST_ROWS + 1],
      );
      return { kind, table, rows: Math.min(Number(row!.n), MOST_ROWS), more: Number(row!.n) > MOST_ROWS };
    }),
  );
}
