import type { Clock } from '../../../kit/clock.ts';
import { Lru } from '../../../kit/lru.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Store, Tx } from '../../platform/store/store.ts';
import type { TakenOutOfChoice } from './rules/guard.ts';
import { guards } from './store/guards.ts';

/** Workspaces whose guards are in memory. */
const IN_MEMORY = 1000;
/** For so long what was read holds, in ms, where a notification was lost. */
const READ_MS = 5_000;

/** What the guards of workspaces have taken out, in memory: a decision reads it at most once in some seconds. */
export class GuardsInForce {
  readonly #clock: Pick<Clock, 'now'>;
  #known = new Lru<string, { readonly at: number; readonly taken: TakenOutOfChoice | undefined }>(IN_MEMORY);

  constructor(store: Pick<Store, 'subscribe'>, clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
    store.subscribe('settings', () => {
      this.#known = new Lru(IN_MEMORY);
    });
  }

  /** What is taken out by the guards of a catalog; undefined for nothing. */
  async of(tx: Tx, workspaceId: string, catalog: Catalog): Promise<TakenOutOfChoice | undefined> {
    if (catalog.guards.length === 0) return undefined;
    const known = this.#known;
    const at = this.#clock.now();
    const found = known.get(workspaceId);
    if (found && Math.abs(at - found.at) < READ_MS) return found.taken;
    const rows = await guards.takenOut(tx, workspaceId);
    const inForce = rows.filter(({ goalId }) => catalog.guards.some((goal) => goal.goalId === goalId));
    const taken =
      inForce.length === 0
        ? undefined
        : {
            contents: new Map(
              inForce.flatMap(({ contentId, goalId, at }) =>
                contentId === '' ? [] : [[contentId, { goalId, at }]],
              ),
            ),
            learned: inForce.find(({ contentId }) => contentId === '')?.goalId,
          };
    // Not into those that a notification came for meanwhile.
    known.set(workspaceId, { at, taken });
    return taken;
  }
}
