import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../kit/clock.ts';
import type { Store, Tx } from '../platform/store/store.ts';
import {
  BLOCK,
  blockOf,
  type Digest,
  Digesting,
  digestOf,
  endOf,
  isNumbered,
  numbersIn,
  RangeSum,
} from './digest.ts';
import { renew, SILENT_MS } from './marks.ts';
import {
  countOf,
  deleteAll,
  findAll,
  insertAll,
  keyOf,
  keyTextOf,
  pagesOf,
  type Reading,
  type Row,
} from './rows.ts';
import { type CopiedTable, copiedTables, type Value } from './tables.ts';

/** The copy differs from what was copied, however often it was compared. The copied workspaces stay frozen. */
export class CopyDiffers extends Error {
  override readonly name = 'CopyDiffers';
}

export interface CopyOptions {
  /** The workspaces to copy; all if empty. */
  readonly workspaces: readonly string[];
  /** Freezes the workspaces in the source once most is copied, for good: nothing is written there that the copy lacks. */
  readonly freeze: boolean;
  /** Whether the copies work once they are complete. Beside a source that goes on, both would send what waits. */
  readonly opens: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly phase: 'copy' | 'freeze' | 'compare';
  readonly table: string;
  /** Rows that were read in this phase, and about how many there are. */
  readonly rows: number;
  readonly of: number;
}

/** What was added to an empty table: the digest of its rows in the source, and in the target where they were read again. */
interface Added {
  readonly from?: Digest;
  readonly to?: Digest;
}

/** How often what is frozen is compared before it is given up. */
const ATTEMPTS = 5;

/** One run of a copy: what it has to write into the target. */
export class Copy {
  readonly #target: Store;
  readonly #run: string;
  readonly #ids: readonly string[];
  readonly #options: CopyOptions;
  readonly #tables = copiedTables();
  /** Rows that were written or deleted. */
  written = 0;
  #renewedAt = 0;

  constructor(target: Store, run: string, ids: readonly string[], options: CopyOptions) {
    this.#target = target;
    this.#run = run;
    this.#ids = ids;
    this.#options = options;
  }

  /**
   * Brings every table of the target in line with the source. `exact`: until both have the same digest, which it returns;
   * else rows that were there before are looked at later.
   */
  async pass(reading: Reading, how: 'fast' | 'exact'): Promise<(Digest & { table: string })[]> {
    let of = 0;
    for (const table of this.#tables)
      for (const id of this.#ids) of += await reading((tx) => countOf(tx, table, id));
    let done = 0;
    const sums = new Map<CopiedTable, Digest[]>();
    let comparing = Promise.resolve();
    let failed: { readonly error: unknown } | undefined;
    try {
      for (const table of this.#tables)
        for (const id of this.#ids) {
          const onRows = (phase: Progress['phase']) => (count: number) => {
            this.#options.signal.throwIfAborted();
            done = Math.min(done + count, of);
            this.#options.onProgress?.({ phase, table: table.name, rows: done, of });
          };
          const added = await this.#add(reading, table, id, onRows('copy'));
          if (failed) throw failed.error;
          if (how === 'fast') continue;
          // Tables are compared while the next ones are written: a database server does both at once.
          comparing = comparing.then(async () => {
            const digest = await this.#untilEqual(reading, table, id, added, onRows('compare'));
            sums.set(table, [...(sums.get(table) ?? []), digest]);
          });
          comparing.catch((error: unknown) => {
            failed ??= { error };
          });
        }
      await comparing;
    } finally {
      await Promise.allSettled([comparing]);
    }
    return [...sums].flatMap(([{ name }, each]) => {
      const rows = each.reduce((sum, digest) => sum + digest.rows, 0);
      return rows > 0 ? [{ table: name, rows, digest: joined(each) }] : [];
    });
  }

  /** Repeats the exact pass over a frozen source until one finds nothing to write: then nothing is written there any more. */
  async untilSame(source: Store): Promise<(Digest & { table: string })[]> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const before = this.written;
      const tables = await this.pass((work) => source.read(work), 'exact');
      if (this.written === before) return tables;
    }
    throw new CopyDiffers('the source goes on changing although it is frozen');
  }

  /**
   * Copies the rows that the target lacks at the end of a table, or all. Of all it returns the digest, and that of the target
   * where it read each page again in the transaction that wrote it.
   */
  async #add(
    reading: Reading,
    table: CopiedTable,
    id: string,
    onRows: (count: number) => void,
  ): Promise<Added> {
    const after = await this.#lastKey(table, id);
    if (after === 'unordered') return {};
    // Engines may order texts differently, so only numbers say which rows belong to a page.
    const isRead = after === undefined && isNumbered(table) && this.#target.dialect.name === 'postgres';
    const digesting = new Digesting(table);
    const sum = new RangeSum();
    /** Up to where blocks were read again, and the last number that was written. */
    let [hashed, last] = [0, 0];
    let writing = Promise.resolve();
    let hashing = Promise.resolve();
    /** Once the page before is stored: what is whole of it is read again while the next one is written. */
    const proceed = async (isEnd: boolean) => {
      await writing;
      const [from, until] = [hashed, blockOf(isEnd ? last + BLOCK : last)];
      if (!isRead || until <= from) return;
      hashed = until;
      hashing = hashing.then(() =>
        this.#target.read(async (tx) => sum.add(await numbersIn(tx.sql, table, id, from, until))),
      );
      hashing.catch(() => {});
    };
    try {
      for await (const rows of pagesOf(reading, table, id, after)) {
        await proceed(false);
        if (isRead) last = Number(keyOf(table, rows.at(-1)!)[0]);
        await new Promise<void>((sent) => {
          const written = this.#write(async (tx) => {
            const inserted = insertAll(tx, table, rows);
            sent();
            await inserted;
          });
          writing = written.then(() => {
            this.written += rows.length;
            onRows(rows.length);
          });
          writing.catch(() => {}).finally(sent);
        });
        // What is sent leaves when the event loop turns. A database server writes it while its rows are hashed and the next
        // pages are read.
        await setImmediate();
        for (const row of rows) digesting.add(row);
      }
      await proceed(true);
      await hashing;
    } finally {
      await Promise.allSettled([writing, hashing]);
    }
    if (after !== undefined) return {};
    return { from: digesting.value, ...(isRead && { to: sum.value }) };
  }

  /**
   * The key after which rows of the source are not in the target: of numbered rows the last one; undefined where the target
   * has none.
   */
  async #lastKey(table: CopiedTable, id: string): Promise<readonly Value[] | undefined | 'unordered'> {
    const { name } = table;
    return this.#target.read(async (tx) => {
      if (isNumbered(table)) {
        const last = await endOf('max', tx.sql, table, id);
        return last === undefined ? undefined : [last];
      }
      const row = await tx.sql.get(`SELECT 1 AS one FROM ${name} WHERE workspace_id = ? LIMIT 1`, [id]);
      return row === undefined ? undefined : 'unordered';
    });
  }

  /** Compares a table in source and target, and repairs it, until both have the same digest, which it returns. */
  async #untilEqual(
    reading: Reading,
    table: CopiedTable,
    id: string,
    added: Added,
    onRows: (count: number) => void,
  ): Promise<Digest> {
    // SQLite reads at once, and a signal of the process is noticed only where the event loop turns.
    const own: Reading = async (work) => {
      await setImmediate();
      this.#options.signal.throwIfAborted();
      return this.#target.read(work);
    };
    for (let attempt = 1; ; attempt++) {
      const first = attempt === 1 ? added : {};
      const isAll = first.to && first.to.rows === (await own((tx) => countOf(tx, table, id)));
      const [from, to] = await Promise.all([
        first.from ?? digestOf(reading, table, id, onRows),
        isAll ? first.to! : digestOf(own, table, id),
      ]);
      if (from.digest === to.digest && from.rows === to.rows) return from;
      if (attempt === ATTEMPTS)
        throw new CopyDiffers(
          `${table.name} of ${id} has ${from.rows} rows in the source and ${to.rows} in the target`,
        );
      await this.#repair(reading, own, table, id);
    }
  }

  /** Writes rows that are missing or different in the target, and deletes those that are not in the source. */
  async #repair(reading: Reading, own: Reading, table: CopiedTable, id: string): Promise<void> {
    const digesting = new Digesting(table);
    const same = (a: Row, b: Row | undefined) => b !== undefined && digesting.hash(a) === digesting.hash(b);
    for await (const rows of pagesOf(reading, table, id)) {
      this.#options.signal.throwIfAborted();
      const found = await own((tx) => findAll(tx, table, id, rows));
      const byKey = new Map(found.map((row) => [keyTextOf(table, row), row]));
      const different = rows.filter((row) => !same(row, byKey.get(keyTextOf(table, row))));
      if (different.length === 0) continue;
      this.written += different.length;
      await this.#write(async (tx) => {
        await deleteAll(tx, table, id, different);
        await insertAll(
          tx,
          table,
          different.map((row) => frozenIn(table, row)),
        );
      });
    }
    for await (const rows of pagesOf(own, table, id)) {
      this.#options.signal.throwIfAborted();
      const found = await reading((tx) => findAll(tx, table, id, rows));
      const keys = new Set(found.map((row) => keyTextOf(table, row)));
      const removed = rows.filter((row) => !keys.has(keyTextOf(table, row)));
      if (removed.length === 0) continue;
      this.written += removed.length;
      await this.#write((tx) => deleteAll(tx, table, id, removed));
    }
  }

  #write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#target.write(
      async (tx) => {
        if (tx.now - this.#renewedAt > SILENT_MS / 10) await this.renew(tx);
        return work(tx);
      },
      { durable: false, bulk: true },
    );
  }

  /** Says that the run goes on. Throws CopyRefused if another one has taken its place. */
  async renew(tx: Tx): Promise<void> {
    await renew(tx, this.#ids, this.#run);
    this.#renewedAt = tx.now;
  }
}

/** The row of a workspace stays frozen in the target until the copy is complete. */
function frozenIn({ name, columns }: CopiedTable, row: Row): Row {
  if (name !== 'workspace') return row;
  return row.map((value, i) => (columns[i]!.name === 'frozen_at' ? 1 : value));
}

/** The digest of the rows of several workspaces. */
function joined(sums: readonly Digest[]): string {
  const bytes = sums.map(({ digest }) => Buffer.from(digest, 'hex'));
  return Buffer.from(bytes[0]!.map((_, i) => bytes.reduce((sum, each) => sum ^ each[i]!, 0))).toString('hex');
}
