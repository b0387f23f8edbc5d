import { hostname } from 'node:os';
import type { Clock } from '../../kit/clock.ts';
import { newId } from '../../kit/id.ts';
import { settings } from '../platform/store/settings.ts';
import type { SqlValue, Store, Tx } from '../platform/store/store.ts';
import { workspaces } from '../platform/store/workspaces.ts';
import {
  type Digest,
  Digesting,
  deleteAll,
  digestOf,
  findAll,
  insertAll,
  keyTextOf,
  pagesOf,
  type Reading,
  type Row,
  sizeOf,
} from './rows.ts';
import { type CopiedTable, copiedTables, type Value } from './tables.ts';

/** Why data cannot be copied as asked. Nothing was changed. */
export class CopyRefused extends Error {
  override readonly name = 'CopyRefused';
  readonly reason: 'no_workspace' | 'unfinished' | 'exists' | 'other_key' | 'other_clock' | 'running';

  constructor(reason: CopyRefused['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The copy differs from what was copied, however often it was compared. The copied workspaces stay frozen. */
class CopyDiffers extends Error {
  override readonly name = 'CopyDiffers';
}

export interface CopyOptions {
  /** The workspaces to copy; all if empty. */
  readonly workspaces: readonly string[];
  /** Freezes the workspaces in the source once most is copied, for good: nothing is written there that the copy lacks. */
  readonly freeze: boolean;
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

export interface Copied {
  readonly workspaces: readonly string[];
  readonly rows: number;
  /** How long the source was frozen before the copy was complete, in ms; null where it was not. */
  readonly frozenMs: number | null;
  /** The tables with rows, each with the same digest in source and target. */
  readonly tables: readonly (Digest & { readonly table: string })[];
}

/** Settings of a store that another one must not have: it has its own, or they are of the moment. */
const OWN_SETTINGS = /^(limiter_anchor|backup|copy .*)$/;
/** Of these, both stores must have the same, or the target none. */
const SAME_SETTINGS = ['dataKeyFingerprint', 'clock_offset'] as const;
/** How often what is frozen is compared before it is given up. */
const ATTEMPTS = 5;
/** Requests and work that began before the freeze end meanwhile, as a rule. */
const SETTLE_MS = 1000;
/** A copy that gave no sign for so long has ended, however it did. */
const SILENT_MS = 30_000;

/** Marks a workspace that is not complete in a store, by the run that copies it. */
interface Mark {
  readonly run: string;
  readonly host: string;
  readonly pid: number;
  /** Whether the workspace was frozen in the source before the first run: then it is not opened in the target. */
  readonly rested: boolean;
  /** When the run last gave a sign, Unix ms. */
  readonly at: number;
}

const markOf = (workspaceId: string) => `copy ${workspaceId}`;

/** Whether a workspace of a store is a copy that is not complete. */
export const isUnfinished = async (tx: Tx, workspaceId: string): Promise<boolean> =>
  (await settings.get(tx, markOf(workspaceId))) !== undefined;

/**
 * Copies workspaces from one store into another: every row of every table, in the order of its key. Without `freeze` the
 * copy is what the source held when it began. With it, what changed meanwhile follows while the source is frozen. Source
 * and target are then compared table by table, by counts and digests, and only then do the copied workspaces work in the
 * target: until then requests of theirs are answered with 503. A copy that was interrupted goes on where it was: what is
 * in the target is compared instead of written. Rejects with CopyRefused, CopyDiffers or the error of a store.
 */
export async function copyStore(source: Store, target: Store, options: CopyOptions): Promise<Copied> {
  const { clock, signal } = options;
  const ids = await namedIn(source, options.workspaces);
  const run = newId('copy');
  const { fresh, working } = await prepare(source, target, ids, run);
  const copy = new Copy(target, run, ids, options);
  let tables = await source.read((tx) => copy.pass((work) => work(tx), options.freeze ? 'fast' : 'exact'));
  let frozenMs: number | null = null;
  if (options.freeze) {
    const since = clock.now();
    try {
      options.onProgress?.({ phase: 'freeze', table: '', rows: 0, of: 0 });
      await source.write((tx) => workspaces.freeze(tx, ids));
      await clock.sleep(SETTLE_MS, signal);
      tables = await copy.untilSame(source);
    } catch (error) {
      // Nothing works in the target yet.
      await source.write((tx) => workspaces.open(tx, working));
      throw error;
    }
    frozenMs = clock.now() - since;
  }
  await target.write(async (tx) => {
    await copy.renew(tx);
    if (fresh) await copySettings(source, tx);
    await advanceSequences(tx, tables.some(({ table }) => table === 'decision') ? ids : []);
    for (const id of ids) await tx.sql.run('DELETE FROM setting WHERE name = ?', [markOf(id)]);
    await workspaces.open(tx, working);
  });
  return { workspaces: ids, rows: tables.reduce((sum, { rows }) => sum + rows, 0), frozenMs, tables };
}

/** What a copy would hold, by table, the largest first. */
export async function measure(
  source: Store,
  named: readonly string[],
): Promise<{ workspaces: string[]; tables: { table: string; rows: number; bytes: number }[] }> {
  const ids = await namedIn(source, named);
  const tables: { table: string; rows: number; bytes: number }[] = [];
  for (const table of copiedTables()) {
    let [rows, bytes] = [0, 0];
    for (const id of ids) {
      const size = await source.read((tx) => sizeOf(tx, table, id));
      rows += size.rows;
      bytes += size.bytes;
    }
    if (rows > 0) tables.push({ table: table.name, rows, bytes });
  }
  return { workspaces: ids, tables: tables.sort((a, b) => b.bytes - a.bytes) };
}

/** The named workspaces of a source, or all. Rejects with CopyRefused for what cannot be copied. */
export async function namedIn(source: Store, named: readonly string[]): Promise<string[]> {
  return source.read(async (tx) => {
    const all = (await workspaces.list(tx)).map(({ id }) => id);
    const unknown = named.find((id) => !all.includes(id));
    if (unknown !== undefined)
      throw new CopyRefused('no_workspace', `there is no workspace ${unknown} in the source`);
    const ids = named.length === 0 ? all : [...new Set(named)];
    if (ids.length === 0) throw new CopyRefused('no_workspace', 'the source has no workspace');
    for (const id of ids)
      if (await isUnfinished(tx, id))
        throw new CopyRefused(
          'unfinished',
          `${id} is itself a copy that is not complete: finish that one first`,
        );
    return ids;
  });
}

/**
 * Marks the workspaces in the target as not complete, and creates them there, frozen. Resolves to whether the target had no
 * workspaces before this copy, and to those that were not frozen in the source before it.
 */
async function prepare(
  source: Store,
  target: Store,
  ids: readonly string[],
  run: string,
): Promise<{ fresh: boolean; working: string[] }> {
  const rows = await source.read((tx) => Promise.all(ids.map((id) => workspaceRow(tx, id))));
  const same = await source.read((tx) => Promise.all(SAME_SETTINGS.map((name) => settings.get(tx, name))));
  const frozen = await source.read((tx) => workspaces.frozen(tx));
  return target.write(async (tx) => {
    await tx.lock('copy');
    const working: string[] = [];
    const there = (await workspaces.list(tx)).map(({ id }) => id);
    const fresh = (await Promise.all(there.map((id) => isUnfinished(tx, id)))).every(Boolean);
    for (const [i, name] of SAME_SETTINGS.entries()) {
      const own = await settings.get(tx, name);
      if (own === same[i] || (fresh && own === undefined)) continue;
      if (name === 'clock_offset')
        throw new CopyRefused(
          'other_clock',
          'one of the stores has a test clock, or theirs show different times',
        );
      throw new CopyRefused(
        'other_key',
        `the data of the source is encrypted with another data key (${String(same[i])}) than the target's (${String(own)})`,
      );
    }
    for (const [i, id] of ids.entries()) {
      const mark = await settings.get<Mark>(tx, markOf(id));
      if (there.includes(id) && mark === undefined)
        throw new CopyRefused('exists', `workspace ${id} exists in the target already`);
      if (mark && isRunning(mark, tx.now))
        throw new CopyRefused(
          'running',
          `another process copies ${id} (process ${mark.pid} on ${mark.host})`,
        );
      // A run that was killed may have left it frozen.
      const rested = mark?.rested ?? frozen.has(id);
      if (!rested) working.push(id);
      const own: Mark = { run, host: hostname(), pid: process.pid, rested, at: tx.now };
      await settings.set(tx, markOf(id), own);
      if (!there.includes(id)) await insertAll(tx, rows[i]!.table, [rows[i]!.row]);
      await workspaces.freeze(tx, [id]);
    }
    if (fresh)
      for (const [i, name] of SAME_SETTINGS.entries())
        if (same[i] !== undefined) await settings.set(tx, name, same[i]);
    return { fresh, working };
  });
}

async function workspaceRow(tx: Tx, id: string): Promise<{ table: CopiedTable; row: Row }> {
  const table = copiedTables().find(({ name }) => name === 'workspace')!;
  const [row] = await findAll(tx, table, id, []);
  return { table, row: row! };
}

function isRunning({ host, pid, at }: Mark, now: number): boolean {
  if (now - at > SILENT_MS) return false;
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
    return pid !== process.pid;
  } catch (error) {
    // A process of another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function copySettings(source: Store, tx: Tx): Promise<void> {
  const all = await source.read(({ sql }) =>
    sql.all<{ name: string; value: string }>('SELECT name, value FROM setting ORDER BY name'),
  );
  for (const { name, value } of all)
    if (!OWN_SETTINGS.test(name)) await settings.set(tx, name, JSON.parse(value));
}

/** PostgreSQL numbers decisions by a sequence: the next one comes after those that were copied. */
async function advanceSequences(tx: Tx, ids: readonly string[]): Promise<void> {
  if (tx.sql.dialect.name !== 'postgres') return;
  for (const id of ids) {
    const row = await tx.sql.get<{ last: SqlValue }>(
      'SELECT max(seq) AS last FROM decision WHERE workspace_id = ?',
      [id],
    );
    if (row?.last != null)
      await tx.sql.get(`SELECT setval('decision_number', GREATEST(nextval('decision_number'), ?))`, [
        Number(row.last),
      ]);
  }
}

/** One run of a copy: what it has to write into the target. */
class Copy {
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
      for (const id of this.#ids) of += (await reading((tx) => sizeOf(tx, table, id))).rows;
    let done = 0;
    const digests: (Digest & { table: string })[] = [];
    for (const table of this.#tables) {
      const sums: Digest[] = [];
      for (const id of this.#ids) {
        const onRows = (phase: Progress['phase']) => (count: number) => {
          this.#options.signal.throwIfAborted();
          done += count;
          this.#options.onProgress?.({ phase, table: table.name, rows: Math.min(done, of), of });
        };
        if (how === 'fast') await this.#add(reading, table, id, onRows('copy'));
        else sums.push(await this.#same(reading, table, id, onRows('copy'), onRows('compare')));
        done = Math.min(done, of);
      }
      const rows = sums.reduce((sum, each) => sum + each.rows, 0);
      if (rows > 0) digests.push({ table: table.name, rows, digest: joined(sums) });
    }
    return digests;
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

  /** Copies the rows that the target lacks at the end of a table, or all, of which it returns the digest. */
  async #add(
    reading: Reading,
    table: CopiedTable,
    id: string,
    onRows: (count: number) => void,
  ): Promise<Digest | undefined> {
    const after = await this.#lastKey(table, id);
    if (after === 'unordered') return undefined;
    const digesting = new Digesting(table);
    for await (const rows of pagesOf(reading, table, id, after)) {
      await this.#write(async (tx) => insertAll(tx, table, rows));
      for (const row of rows) digesting.add(row);
      this.written += rows.length;
      onRows(rows.length);
    }
    return after === undefined ? digesting.value : undefined;
  }

  /**
   * The key after which rows of the source are not in the target: of numbered rows the last one; undefined where the target
   * has none.
   */
  async #lastKey(table: CopiedTable, id: string): Promise<readonly Value[] | undefined | 'unordered'> {
    const { name, key, columns } = table;
    const isNumbered =
      key.length === 1 && columns.some((column) => column.name === key[0] && column.type === 'integer');
    return this.#target.read(async (tx) => {
      if (isNumbered) {
        const row = await tx.sql.get<{ last: SqlValue }>(
          `SELECT max(${key[0]}) AS last FROM ${name} WHERE workspace_id = ?`,
          [id],
        );
        return row?.last == null ? undefined : [Number(row.last)];
      }
      const row = await tx.sql.get(`SELECT 1 AS one FROM ${name} WHERE workspace_id = ? LIMIT 1`, [id]);
      return row === undefined ? undefined : 'unordered';
    });
  }

  async #same(
    reading: Reading,
    table: CopiedTable,
    id: string,
    onCopied: (count: number) => void,
    onCompared: (count: number) => void,
  ): Promise<Digest> {
    const added = await this.#add(reading, table, id, onCopied);
    const own: Reading = (work) => this.#target.read(work);
    for (let attempt = 1; ; attempt++) {
      const [from, to] = await Promise.all([
        (attempt === 1 && added) || digestOf(reading, table, id, onCompared),
        digestOf(own, table, id),
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
    const same = (a: Row, b: Row | undefined) =>
      b !== undefined && digesting.hash(a).equals(digesting.hash(b));
    for await (const rows of pagesOf(reading, table, id)) {
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
      const found = await reading((tx) => findAll(tx, table, id, rows));
      const keys = new Set(found.map((row) => keyTextOf(table, row)));
      const removed = rows.filter((row) => !keys.has(keyTextOf(table, row)));
      if (removed.length === 0) continue;
      this.written += removed.length;
      await this.#write((tx) => deleteAll(tx, table, id, removed));
    }
  }

  #write(work: (tx: Tx) => Promise<void>): Promise<void> {
    return this.#target.write(
      async (tx) => {
        if (tx.now - this.#renewedAt > SILENT_MS / 10) await this.renew(tx);
        await work(tx);
      },
      { durable: false, bulk: true },
    );
  }

  /** Says that the run goes on. Throws CopyRefused if another one has taken its place. */
  async renew(tx: Tx): Promise<void> {
    for (const id of this.#ids) {
      const mark = await settings.get<Mark>(tx, markOf(id));
      if (mark?.run !== this.#run) throw new CopyRefused('running', `another process copies ${id} meanwhile`);
      await settings.set(tx, markOf(id), { ...mark, at: tx.now });
    }
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
