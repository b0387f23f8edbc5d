import { due, type Lane } from './due.ts';
import type { Tx, Workers } from './store.ts';
import { workspaces } from './workspaces.ts';

/** Workspaces that are asked for by name at once, while some are out. */
const NAMED = 1000;

/** Some workspaces with due work, and the identifier after which to go on; undefined at the end. */
export interface Looked {
  readonly found: string[];
  readonly next: string | undefined;
}

/**
 * Looks across the workspaces of a store for due work. Where workers of a distributed database do not answer, a look at all
 * of its workspaces would fail: then it names the workspaces of the others.
 */
export const dueLook = {
  /** Up to `most` workspaces with due marks in a lane, ordered by identifier, after the identifier `after`. */
  async next(tx: Tx, workers: Workers | undefined, lane: Lane, after: string, most: number): Promise<Looked> {
    if (!workers || workers.out().out === 0) {
      const found = await due.workspaces(tx, lane, after, most);
      return { found, next: found.length < most ? undefined : found.at(-1) };
    }
    const ids = await workspaces.ids(tx, after, NAMED);
    const inReach = ids.filter((id) => !workers.isOut(id));
    const found = await due.among(tx, lane, inReach, most);
    if (found.length === most) return { found, next: found.at(-1) };
    return { found, next: ids.length < NAMED ? undefined : ids.at(-1) };
  },

  /** True while some workspace that is not out has due marks in a lane. */
  async any(tx: Tx, workers: Workers | undefined, lane: Lane): Promise<boolean> {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const { found, next }: Looked = await dueLook.next(tx, workers, lane, after, 1);
      if (found.length > 0) return true;
      after = next;
    }
    return false;
  },
};
