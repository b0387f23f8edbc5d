import { hostname } from 'node:os';
import { isAlive } from '../../kit/files/is-alive.ts';
import { settings } from '../platform/store/settings.ts';
import type { Store, Tx } from '../platform/store/store.ts';
import { workspaces } from '../platform/store/workspaces.ts';
import { findAll, insertAll, type Row } from './rows.ts';
import { type CopiedTable, copiedTables } from './tables.ts';

/** Why data cannot be copied as asked. Nothing was changed. */
export class CopyRefused extends Error {
  override readonly name = 'CopyRefused';
  readonly reason: 'no_workspace' | 'unfinished' | 'exists' | 'other_key' | 'other_clock' | 'running';

  constructor(reason: CopyRefused['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Of these, both stores must have the same, or the target none. */
const SAME_SETTINGS = ['dataKeyFingerprint', 'clock_offset'] as const;
/** A copy that gave no sign for so long has ended, however it did. */
export const SILENT_MS = 30_000;

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
export async function prepare(
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

function isRunning({ host, pid, at }: Pick<Mark, 'host' | 'pid' | 'at'>, now: number): boolean {
  if (now - at > SILENT_MS) return false;
  return host !== hostname() || (pid !== process.pid && isAlive(pid));
}

/** Says that a run goes on. Throws CopyRefused if another one has taken its place. */
export async function renew(tx: Tx, ids: readonly string[], run: string): Promise<void> {
  for (const id of ids) {
    const mark = await settings.get<Mark>(tx, markOf(id));
    if (mark?.run !== run) throw new CopyRefused('running', `another process copies ${id} meanwhile`);
    await settings.set(tx, markOf(id), { ...mark, at: tx.now });
  }
}

/** Marks a workspace of a source that is being moved: nobody else opens it meanwhile. */
const movedOf = (workspaceId: string) => `copy of ${workspaceId}`;

/** Says in a source that a run moves its workspaces, and goes on. */
export async function markMoved(tx: Tx, ids: readonly string[], run: string): Promise<void> {
  for (const id of ids)
    await settings.set(tx, movedOf(id), { run, host: hostname(), pid: process.pid, at: tx.now });
}

/** Ends the marks of a run in a source. Those of another one stay. */
export async function removeMoved(tx: Tx, ids: readonly string[], run: string): Promise<void> {
  for (const id of ids)
    if ((await settings.get<Mark>(tx, movedOf(id)))?.run === run)
      await tx.sql.run('DELETE FROM setting WHERE name = ?', [movedOf(id)]);
}

/** Whether a process moves a workspace out of a store now. */
export async function isMoved(tx: Tx, workspaceId: string): Promise<boolean> {
  const mark = await settings.get<Mark>(tx, movedOf(workspaceId));
  return mark !== undefined && isRunning(mark, tx.now);
}

/** Says that the copies of workspaces are complete. */
export async function removeMarks(tx: Tx, ids: readonly string[]): Promise<void> {
  for (const id of ids) await tx.sql.run('DELETE FROM setting WHERE name = ?', [markOf(id)]);
}
