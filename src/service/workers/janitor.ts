import { type Cutoffs, cutoffsOf, NUMBERED_LOGS, type NumberedLog } from '../domain/retention.ts';
import type { ServiceDeps } from '../runtime/deps.ts';
import { LOG_TABLES } from '../store/log-tables.ts';
import { contentCounts } from '../store/repositories/console/content-counts.ts';
import { contacts } from '../store/repositories/contacts.ts';
import { purgeDeliveries } from '../store/repositories/deliveries/purge.ts';
import { due } from '../store/repositories/due.ts';
import { erasures } from '../store/repositories/erasures.ts';
import { idempotency } from '../store/repositories/idempotency.ts';
import { marketingSent } from '../store/repositories/marketing/sent.ts';
import { messages } from '../store/repositories/messages.ts';
import { polls } from '../store/repositories/polls.ts';
import { receipts } from '../store/repositories/receipts.ts';
import { recentEvents } from '../store/repositories/recent-events.ts';
import { removals } from '../store/repositories/removals.ts';
import { userSignals } from '../store/repositories/user-signals.ts';
import { webhooks } from '../store/repositories/webhooks.ts';
import type { Tx } from '../store/store.ts';
import { dueRound } from './by-workspace.ts';
import { repeat, type Worker } from './worker.ts';

const PAUSE_MS = 60_000;
/** A workspace where nothing expired is cleaned after a pause that doubles, up to this one. */
const MAX_PAUSE_MS = 3_600_000;
const CHUNK = 500;

/** Deletes up to `most` rows of a workspace and returns how many. */
type Chore = (tx: Tx, workspaceId: string, most: number, cutoffs: Cutoffs) => Promise<number>;

const CHORES: readonly Chore[] = [
  removals.ofDecisions,
  removals.decidedUsers,
  removals.notifications,
  idempotency.purge,
  webhooks.purgeExpired,
  purgeDeliveries.dropped,
  purgeDeliveries.finished,
  messages.purge,
  contacts.purge,
  marketingSent.purge,
  recentEvents.purge,
  userSignals.purge,
  polls.purge,
  erasures.purge,
  receipts.purge,
  receipts.purgeSeen,
  contentCounts.purge,
];

/** Deletes expired rows, in batches small enough not to delay requests. */
export function startJanitor(deps: ServiceDeps): Worker {
  const { store, clock, log } = deps;
  /** The pauses of workspaces where nothing expired, in ms. */
  const pauses = new Map<string, number>();

  const clean = async (workspaceId: string): Promise<boolean> => {
    const pause = pauses.get(workspaceId) ?? PAUSE_MS;
    await markNext(workspaceId, pause);
    const most = await cleanOnce(deps, workspaceId);
    pauses.set(workspaceId, most > 0 ? PAUSE_MS : Math.min(pause * 2, MAX_PAUSE_MS));
    if (most > 0 && pause > PAUSE_MS) await markNext(workspaceId, PAUSE_MS);
    if (most >= CHUNK) await markNext(workspaceId, 0);
    return most >= CHUNK;
  };
  const markNext = (workspaceId: string, pause: number) =>
    store.write(
      async (tx) => {
        await due.clear(tx, workspaceId, 'clean');
        await due.mark(tx, workspaceId, 'clean', tx.now + pause);
      },
      { durable: false, bulk: true },
    );
  const round = dueRound(deps, 'clean', clean);
  return repeat(
    'the janitor',
    clock,
    log,
    PAUSE_MS,
    async (stopping) => (await store.leads('janitor')) && round(stopping),
  );
}

/** Does each chore once for a workspace. Returns the largest number of rows that one removed, CHUNK if more are left. */
export async function cleanOnce(
  { store, precedence, retention }: Pick<ServiceDeps, 'store' | 'precedence' | 'retention'>,
  workspaceId: string,
): Promise<number> {
  /** Removes the old rows of a log that are not dropped with a partition. */
  const removeOld =
    (name: NumberedLog): Chore =>
    async (tx, _, most, cutoffs) => {
      const keptMs = retention()[name];
      const before = cutoffs[name];
      if (keptMs === null || before === null) return 0;
      const tables = (await store.partitions?.byRow(tx, name, keptMs)) ?? [LOG_TABLES[name].table];
      let removed = 0;
      for (const table of tables)
        removed = Math.max(removed, await removals.rows(tx, workspaceId, name, table, before, most));
      // Fewer rows were removed at once because they are large.
      return removed > 0 ? most : 0;
    };
  let most = 0;
  for (const chore of [...NUMBERED_LOGS.map(removeOld), ...CHORES]) {
    await precedence.piece();
    const clean = (tx: Tx) => chore(tx, workspaceId, CHUNK, cutoffsOf(tx.now, retention()));
    most = Math.max(most, await store.write(clean, { durable: false, bulk: true }));
  }
  return most;
}
