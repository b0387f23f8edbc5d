import type { ServiceDeps } from '../runtime/deps.ts';
import { contentCounts } from '../store/repositories/console/content-counts.ts';
import { contacts } from '../store/repositories/contacts.ts';
import { deliveries } from '../store/repositories/deliveries.ts';
import { due } from '../store/repositories/due.ts';
import { erasures } from '../store/repositories/erasures.ts';
import { idempotency } from '../store/repositories/idempotency.ts';
import { marketingSent } from '../store/repositories/marketing/sent.ts';
import { messages } from '../store/repositories/messages.ts';
import { polls } from '../store/repositories/polls.ts';
import { receipts } from '../store/repositories/receipts.ts';
import { recentEvents } from '../store/repositories/recent-events.ts';
import { userSignals } from '../store/repositories/user-signals.ts';
import { webhooks } from '../store/repositories/webhooks.ts';
import type { Tx } from '../store/store.ts';
import { dueRound } from './by-workspace.ts';
import { repeat, type Worker } from './worker.ts';

const PAUSE_MS = 60_000;
/** A workspace where nothing expired is cleaned after a pause that doubles, up to this one. */
const MAX_PAUSE_MS = 3_600_000;
const CHUNK = 500;

/** Each deletes up to `most` rows of a workspace and returns how many. */
const CHORES: readonly ((tx: Tx, workspaceId: string, most: number) => Promise<number>)[] = [
  idempotency.purge,
  webhooks.purgeExpired,
  deliveries.purgeDropped,
  deliveries.purge,
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
    let most = 0;
    for (const chore of CHORES)
      most = Math.max(most, await store.write((tx) => chore(tx, workspaceId, CHUNK), { durable: false }));
    pauses.set(workspaceId, most > 0 ? PAUSE_MS : Math.min(pause * 2, MAX_PAUSE_MS));
    if (most > 0 && pause > PAUSE_MS) await markNext(workspaceId, PAUSE_MS);
    if (most === CHUNK) await markNext(workspaceId, 0);
    return most === CHUNK;
  };
  const markNext = (workspaceId: string, pause: number) =>
    store.write(
      async (tx) => {
        await due.clear(tx, workspaceId, 'clean');
        await due.mark(tx, workspaceId, 'clean', tx.now + pause);
      },
      { durable: false },
    );
  const round = dueRound(deps, 'clean', clean);
  return repeat('the janitor', clock, log, PAUSE_MS, async () => (await store.leads('janitor')) && round());
}
