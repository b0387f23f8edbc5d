import { due, type Lane } from './due.ts';
import type { Tx, Workers } from './store.ts';
import { workspaces } from './workspaces.ts';

/** Workspaces that are asked for by name at once, while some are out. */
const NAMED = 1000;

/** Some workspaces with due work, and the identifier after which to go on; undefined at the end. */
export interface DuePage {
  readonly found: string[];
  readonly next: string | undefined;
}

/**
 * Finds the workspaces of a store with due work. Where workers of a distributed database do not answer, a query over all
 * of its workspaces would fail: then only the workspaces of the other workers are queried.
 */
export const dueWorkspaces = {
  /** Up to `limit` workspaces with due marks in a lane, ordered by identifier, after the identifier `after`. */
  async page(
    tx: Tx,
    workers: Workers | undefined,
    lane: Lane,
    after: string,
    limit: number,
  ): Promise<DuePage> {
    if (!workers || workers.out().out === 0) {
      const found = await due.workspaces(tx, lane, after, limit);
      return { found, next: found.length < limit ? undefined : found.at(-1) };
    }
    const ids = await workspaces.ids(tx, after, NAMED);
    const inReach = ids.filter((id) => !workers.isUnreachable(id));
    const found = await due.among(tx, lane, inReach, limit);
    if (found.length === limit) return { found, next: found.at(-1) };
    return { found, next: ids.length < NAMED ? undefined : ids.at(-1) };
  },

  /** True while some workspace that is not out has due marks in a lane. */
  async any(tx: Tx, workers: Workers | undefined, lane: Lane): Promise<boolean> {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const { found, next }: DuePage = await dueWorkspaces.page(tx, workers, lane, after, 1);
      if (found.length > 0) return true;
      after = next;
    }
    return false;
  },
};
