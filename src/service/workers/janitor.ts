import type { ServiceDeps } from '../runtime/deps.ts';
import { contacts } from '../store/repositories/contacts.ts';
import { deliveries } from '../store/repositories/deliveries.ts';
import { idempotency } from '../store/repositories/idempotency.ts';
import { messages } from '../store/repositories/messages.ts';
import { polls } from '../store/repositories/polls.ts';
import { recentEvents } from '../store/repositories/recent-events.ts';
import { userSignals } from '../store/repositories/user-signals.ts';
import { webhooks } from '../store/repositories/webhooks.ts';
import type { Tx } from '../store/store.ts';
import { repeat, type Worker } from './worker.ts';

const PAUSE_MS = 60_000;
const CHUNK = 500;

/** Each deletes up to `most` rows and returns how many. */
const CHORES: readonly ((tx: Tx, most: number) => Promise<number>)[] = [
  idempotency.purge,
  webhooks.purgeExpired,
  deliveries.purgeDropped,
  deliveries.purge,
  messages.purge,
  contacts.purge,
  recentEvents.purge,
  userSignals.purge,
  polls.purge,
];

/** Deletes expired rows, in batches small enough not to delay requests. */
export function startJanitor({ store, clock, log }: ServiceDeps): Worker {
  return repeat('the janitor', clock, log, PAUSE_MS, async () => {
    if (!(await store.leads('janitor'))) return false;
    let more = false;
    for (const chore of CHORES) {
      const removed = await store.write((tx) => chore(tx, CHUNK), { durable: false });
      more ||= removed === CHUNK;
    }
    return more;
  });
}
