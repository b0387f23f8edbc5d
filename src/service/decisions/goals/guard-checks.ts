import { Lru } from '../../../kit/lru.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Catalogs } from '../../catalog/follow.ts';
import type { WorkerPlatform } from '../../platform/workers/worker.ts';
import { checkGuards, type GuardChange, pagesOf } from './guard-step.ts';
import { horizonOf } from './rules/guard.ts';

/** Workspaces of which is known when their guards were looked at. */
const KNOWN = 1000;

/** Looks at the guards of workspaces: once an hour, as the windows of decisions end, and after each change of the catalog. */
export class GuardChecks {
  readonly #platform: Pick<WorkerPlatform, 'store' | 'log' | 'precedence'>;
  readonly #catalogs: Catalogs;
  readonly #looked = new Lru<string, { readonly catalog: Catalog; readonly horizon: string }>(KNOWN);

  constructor(platform: Pick<WorkerPlatform, 'store' | 'log' | 'precedence'>, catalogs: Catalogs) {
    this.#platform = platform;
    this.#catalogs = catalogs;
  }

  /** Looks at the guards of a workspace whose events are counted, unless it did before. */
  async look(workspaceId: string, stopping: AbortSignal): Promise<void> {
    const { store, precedence } = this.#platform;
    const { catalog, now } = await store.read(async (tx) => ({
      catalog: await this.#catalogs.of(tx, workspaceId),
      now: tx.now,
    }));
    if (catalog.guards.length === 0) return;
    const looked = {
      catalog,
      horizon: catalog.guards.map(({ withinMs }) => horizonOf(withinMs, now)).join(),
    };
    const before = this.#looked.get(workspaceId);
    if (before?.catalog === catalog && before.horizon === looked.horizon) return;
    for (const page of pagesOf(catalog)) {
      if (stopping.aborted) return;
      await precedence.yieldToRequests();
      const changes = await store.write((tx) => checkGuards(tx, workspaceId, catalog, page), { bulk: true });
      for (const change of changes) this.#log(workspaceId, page.goal.guard!.worseThan, change);
    }
    this.#looked.set(workspaceId, looked);
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
