import type { Catalog } from '../../catalog/catalog.ts';
import type { Catalogs } from '../../catalog/follow.ts';
import { due } from '../../platform/store/due.ts';
import { settings } from '../../platform/store/settings.ts';
import type { Tx } from '../../platform/store/store.ts';
import { workspaces } from '../../platform/store/workspaces.ts';
import { type Worker, type WorkerPlatform, worker } from '../../platform/workers/worker.ts';
import { countStep } from './count-step.ts';
import { GuardChecks } from './guard-checks.ts';

/** Poll interval, for what another node stored and for a notification that was lost. */
const PAUSE_MS = 5_000;
/** How long to wait for further events, so that they are counted together. */
const GATHER_MS = 100;
/** How long to wait until this process knows a new catalog. */
const FOLLOW_MS = 50;
/** The name under which is stored what the goals of the service were when all workspaces were last marked. */
const SPREAD = 'goalsOfService';
/** Workspaces marked in one transaction. */
const MARKED = 200;
/** Steps of a workspace in a row, before it is the turn of another one. */
const STEPS = 50;

/** Runs one step of counting, and after the last one says when the guards are to be looked at. Returns whether more is left. */
export async function countAndMark(
  tx: Tx,
  workspaceId: string,
  catalog: Catalog,
  guards: Pick<GuardChecks, 'mark'>,
): Promise<boolean> {
  const more = await countStep(tx, workspaceId, catalog);
  if (!more) await guards.mark(tx, workspaceId, catalog);
  return more;
}

/** Counts the events of goals for the decisions before them. Ingest does not wait for it. */
export function startGoalCounter(platform: WorkerPlatform, catalogs: Catalogs): Worker {
  const { store, clock, precedence } = platform;
  const guards = new GuardChecks(platform, catalogs);
  const step = (workspaceId: string) =>
    store.write(
      async (tx) =>
        (await catalogs.isCurrent(tx, workspaceId))
          ? countAndMark(tx, workspaceId, await catalogs.of(tx, workspaceId), guards)
          : undefined,
      { durable: false, bulk: true },
    );
  /**
   * Marks all workspaces once the catalog of the service counts something else than when that was done last, which is stored:
   * its file may change while no process runs.
   */
  let spread: string | undefined;
  const spreadShared = async (stopping: AbortSignal) => {
    const { goals, settings: shared } = catalogs.shared();
    const text =
      goals.length === 0
        ? ''
        : JSON.stringify([
            goals.map(({ definition }) => definition),
            shared.reward?.outcomes,
            [...(shared.reward?.goals ?? [])],
          ]);
    spread ??= (await store.read((tx) => settings.get<string>(tx, SPREAD))) ?? '';
    if (text === spread) return;
    for (let after: string | undefined = ''; after !== undefined && !stopping.aborted; ) {
      const from: string = after;
      after = await store.write(
        async (tx) => {
          const ids = await workspaces.ids(tx, from, MARKED);
          for (const id of ids) await due.mark(tx, id, 'goals');
          return ids.length < MARKED ? undefined : ids.at(-1);
        },
        { durable: false, bulk: true },
      );
    }
    if (stopping.aborted) return;
    await store.write((tx) => settings.set(tx, SPREAD, text), { durable: false });
    spread = text;
  };
  /** Some workspace had more to count in the last round. */
  let busy = false;
  return worker(platform, {
    name: 'the counter of goals',
    lane: 'goals',
    topics: ['events', 'outcomes', 'settings'],
    leader: 'goals',
    pause: PAUSE_MS,
    before: async (stopping) => {
      if (!busy) await clock.sleep(GATHER_MS, stopping).catch(() => {});
      busy = false;
      if (await store.leads('goals')) await spreadShared(stopping);
    },
    work: async (workspaceId, stopping) => {
      for (let done = 0; done < STEPS && !stopping.aborted; done++) {
        const more = await step(workspaceId);
        if (more === undefined) await clock.sleep(FOLLOW_MS, stopping).catch(() => {});
        else if (!more) {
          await guards.look(workspaceId, stopping);
          return false;
        }
        await precedence.yieldToRequests();
      }
      busy = true;
      return true;
    },
  });
}
