import { newId } from '../../kit/id.ts';
import { olderTransaction, serverTime } from '../platform/store/postgres/older-transactions.ts';
import { settings } from '../platform/store/settings.ts';
import type { SqlValue, Store, Tx } from '../platform/store/store.ts';
import { workspaces } from '../platform/store/workspaces.ts';
import { anyClaimed } from '../platform/workers/any-claimed.ts';
import type { Digest } from './digest.ts';
import { markMoved, namedIn, prepare, removeMarks, removeMoved, SILENT_MS } from './marks.ts';
import { Copy, CopyDiffers, type CopyOptions } from './passes.ts';
import { sizeOf } from './rows.ts';
import { copiedTables } from './tables.ts';

/** Settings of a store that another one must not have: it has its own, or they are of the moment. */
const OWN_SETTINGS = /^(limiter_anchor|backup|copy .*|provider of .*)$/;
/** What workers began before the freeze ends meanwhile, as a rule; what they do later is repeated in the target. */
const SETTLE_MS = 1000;
/** How long messages that are being sent and transactions that began before are waited for: longer than either lasts. */
const ENDED_MS = 60_000;
const PAUSE_MS = 200;

/** A copy failed at its end, and the workspaces stay frozen in the source. `cause` says why. */
class SourceFrozen extends Error {
  override readonly name = 'SourceFrozen';
  readonly workspaces: readonly string[];

  constructor(workspaces: readonly string[], message: string, cause: unknown) {
    super(`${message}: ${(cause as Error).message}`, { cause });
    this.workspaces = workspaces;
  }
}

export interface Copied {
  readonly workspaces: readonly string[];
  readonly rows: number;
  /** How long the source was frozen before the copy was complete, in ms; null where it was not. */
  readonly frozenMs: number | null;
  /** The tables with rows, each with the same digest in source and target. */
  readonly tables: readonly (Digest & { readonly table: string })[];
}

/**
 * Copies workspaces from one store into another: every row of every table, in the order of its key. Without `freeze` the
 * copy is what the source held when it began. With it, what changed meanwhile follows while the source is frozen. Source
 * and target are then compared table by table, by counts and digests, and only then do the copied workspaces work in the
 * target: until then requests of theirs are answered with 503. A copy that was interrupted goes on where it was: what is
 * in the target is compared instead of written. Rejects with CopyRefused, CopyDiffers, SourceFrozen or the error of a store.
 */
export async function copyStore(source: Store, target: Store, options: CopyOptions): Promise<Copied> {
  const { clock, signal } = options;
  const ids = await namedIn(source, options.workspaces);
  const run = newId('copy');
  const { fresh, working } = await prepare(source, target, ids, run);
  const copy = new Copy(target, run, ids, options);
  let tables = await source.read(async (tx) => {
    await hold(tx);
    return copy.pass((work) => work(tx), options.freeze ? 'fast' : 'exact');
  });
  let frozenMs: number | null = null;
  if (options.freeze) {
    const since = clock.now();
    const renewing = setInterval(
      () => void source.write((tx) => markMoved(tx, ids, run)).catch(() => {}),
      SILENT_MS / 5,
    );
    try {
      options.onProgress?.({ phase: 'freeze', table: '', rows: 0, of: 0 });
      await source.write(async (tx) => {
        await markMoved(tx, ids, run);
        await workspaces.freeze(tx, ids);
      });
      await clock.sleep(SETTLE_MS, signal);
      await untilEnded(source, ids, options);
      // One that was opened goes on changing: that it was explains more than that it did.
      tables = await copy.untilSame(source).finally(() => assertFrozen(source, ids));
    } catch (error) {
      // Nothing works in the target yet.
      await source
        .write(async (tx) => {
          await removeMoved(tx, ids, run);
          await workspaces.open(tx, working);
        })
        .catch(() => {
          throw new SourceFrozen(working, 'the copy is not complete, and the source stays frozen', error);
        });
      throw error;
    } finally {
      clearInterval(renewing);
    }
    frozenMs = clock.now() - since;
  }
  try {
    await target.write(async (tx) => {
      await copy.renew(tx);
      if (fresh) await copySettings(source, tx);
      await advanceSequences(tx, tables.some(({ table }) => table === 'decision') ? ids : []);
      await removeMarks(tx, ids);
      if (options.opens) await workspaces.open(tx, working);
    });
  } catch (error) {
    if (!options.freeze) throw error;
    // Its commit may have succeeded: a source that is opened again could then work beside the target.
    throw new SourceFrozen(
      working,
      'the last write to the target failed, and the source stays frozen',
      error,
    );
  }
  if (options.freeze) await source.write((tx) => removeMoved(tx, ids, run));
  return { workspaces: ids, rows: tables.reduce((sum, { rows }) => sum + rows, 0), frozenMs, tables };
}

/**
 * Resolves once nothing of frozen workspaces is being sent, and no transaction runs that may not know of the freeze. Rejects
 * with CopyDiffers after a minute.
 */
async function untilEnded(
  source: Store,
  ids: readonly string[],
  { clock, signal }: CopyOptions,
): Promise<void> {
  const frozenAt = await source.read(({ sql }) => serverTime(sql));
  const end = clock.now() + ENDED_MS;
  for (;;) {
    const running = await source.read(async (tx) => {
      for (const id of ids) if (await anyClaimed(tx, id)) return `a message of ${id} is being sent`;
      return olderTransaction(tx.sql, frozenAt);
    });
    if (running === undefined) return;
    if (clock.now() > end) throw new CopyDiffers(`${running}; try again when it has ended`);
    await clock.sleep(PAUSE_MS, signal);
  }
}

/** Throws CopyDiffers if a workspace is not frozen any more: it may have rows that the copy lacks. */
async function assertFrozen(source: Store, ids: readonly string[]): Promise<void> {
  const frozen = await source.read((tx) => workspaces.frozen(tx));
  const opened = ids.find((id) => !frozen.has(id));
  if (opened !== undefined)
    throw new CopyDiffers(`${opened} was opened in the source before the copy was complete`);
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

/** PostgreSQL ends a transaction without statements after 20 s: a large table of the target takes longer to compare. */
async function hold(tx: Tx): Promise<void> {
  if (tx.sql.dialect.name === 'postgres')
    await tx.sql.run("SET LOCAL idle_in_transaction_session_timeout = '6h'", []);
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
