import type { ServiceDeps } from '../deps.ts';
import { contacts } from '../store/contacts.ts';
import { deliveries } from '../store/deliveries.ts';
import { idempotency } from '../store/idempotency.ts';
import { messages } from '../store/messages.ts';
import { recentEvents } from '../store/recent-events.ts';
import type { Tx } from '../store/store.ts';
import { userSignals } from '../store/user-signals.ts';
import { webhooks } from '../store/webhooks.ts';
import { repeat, type Worker } from './worker.ts';

const PAUSE_MS = 60_000;
const CHUNK = 500;

/** Each removes up to so many rows and returns how many it did. */
const CHORES: readonly ((tx: Tx, most: number) => Promise<number>)[] = [
  idempotency.purge,
  webhooks.purgeExpired,
  deliveries.purge,
  messages.purge,
  contacts.purge,
  recentEvents.purge,
  userSignals.purge,
];

/** Removes what is past its time, in chunks small enough to delay no request. */
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
