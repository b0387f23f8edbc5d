import { Lru } from '../../../kit/lru.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Catalogs } from '../../catalog/follow.ts';
import { due } from '../../platform/store/due.ts';
import type { Tx } from '../../platform/store/store.ts';
import type { WorkerPlatform } from '../../platform/workers/worker.ts';
import { contentCounts } from '../store/content-counts.ts';
import { earnings } from '../store/earnings.ts';
import { checkGuards, type GuardChange, pagesOf } from './guard-step.ts';
import { horizonOf, nextHorizonAt } from './rules/guard.ts';

/** Workspaces of which is known when their guards were looked at. */
const KNOWN = 1000;
/** When to look where a look did not end, in ms: the process was killed, or some decisions were not counted as served. */
const AGAIN_MS = 60_000;
/** Pieces of the reward log whose served decisions one look counts at most. */
const PIECES = 200;

/** Looks at the guards of workspaces: once an hour, as the windows of decisions end, and after each change of the catalog. */
export class GuardChecks {
  readonly #platform: Pick<WorkerPlatform, 'store' | 'log' | 'precedence'>;
  readonly #catalogs: Catalogs;
  readonly #looked = new Lru<string, { readonly catalog: Catalog; readonly horizon: string }>(KNOWN);

  constructor(platform: Pick<WorkerPlatform, 'store' | 'log' | 'precedence'>, catalogs: Catalogs) {
    this.#platform = platform;
    this.#catalogs = catalogs;
  }

  /**
   * Marks when the guards of a workspace are to be looked at, where all of its events are counted: within a minute, or,
   * once they were, as the next windows end. It is part of the transaction that counts, so a kill before the look delays it.
   */
  async mark(tx: Tx, workspaceId: string, catalog: Catalog): Promise<void> {
    const { guards } = catalog;
    if (guards.length === 0) return;
    const at = this.#isLooked(workspaceId, catalog, tx.now)
      ? Math.min(...guards.map(({ withinMs }) => nextHorizonAt(withinMs, tx.now)))
      : tx.now + AGAIN_MS;
    await due.mark(tx, workspaceId, 'goals', at);
  }

  /** Looks at the guards of a workspace whose events are counted, unless it did before. */
  async look(workspaceId: string, stopping: AbortSignal): Promise<void> {
    const { store, precedence } = this.#platform;
    const { catalog, now, unsettled } = await store.read(async (tx) => ({
      catalog: await this.#catalogs.of(tx, workspaceId),
      now: tx.now,
      unsettled: (await earnings.firstUnsettled(tx, workspaceId)) ?? Number.POSITIVE_INFINITY,
    }));
    if (catalog.guards.length === 0 || this.#isLooked(workspaceId, catalog, now)) return;
    // The log has the first entries of all decisions that began to count before `unsettled`: these are counted as served now.
    if (!(await this.#countServed(workspaceId, stopping))) return;
    for (const page of pagesOf(catalog)) {
      if (stopping.aborted) return;
      await precedence.yieldToRequests();
      const changes = await store.write((tx) => checkGuards(tx, workspaceId, catalog, page, unsettled), {
        bulk: true,
      });
      for (const change of changes) this.#log(workspaceId, page.goal.guard!.worseThan, change);
    }
    const isWhole = catalog.guards.every(({ withinMs }) => horizonOf(withinMs, now) <= unsettled);
    if (isWhole) this.#looked.set(workspaceId, { catalog, horizon: horizonsOf(catalog, now) });
  }

  #isLooked(workspaceId: string, catalog: Catalog, now: number): boolean {
    const looked = this.#looked.get(workspaceId);
    return looked?.catalog === catalog && looked.horizon === horizonsOf(catalog, now);
  }

  /** Counts the decisions in the reward log as served, as the learner does. Returns false if some are left. */
  async #countServed(workspaceId: string, stopping: AbortSignal): Promise<boolean> {
    const { store, precedence } = this.#platform;
    for (let piece = 0; piece < PIECES && !stopping.aborted; piece++) {
      await precedence.yieldToRequests();
      const more = await store.write((tx) => contentCounts.follow(tx, workspaceId), {
        durable: false,
        bulk: true,
      });
      if (!more) return true;
    }
    return false;
  }

  #log(workspaceId: string, worseThan: number, change: GuardChange): void {
    const { goalId, contentId, removedAt, value, holdout } = change;
    const what = contentId === '' ? 'the learned choice' : 'a content';
    const of = { workspaceId, goalId, ...(contentId === '' ? {} : { contentId }) };
    if (removedAt === null) this.#platform.log('info', `a guard let ${what} back into choice`, of);
    else
      this.#platform.log('warn', `a guard took ${what} out of choice`, { ...of, value, holdout, worseThan });
  }
}

/** Up to when decisions of the guards of a catalog are compared. */
const horizonsOf = ({ guards }: Catalog, now: number): string =>
  guards.map(({ withinMs }) => horizonOf(withinMs, now)).join();
