import type { ServiceDeps } from '../deps.ts';
import { idempotency } from '../store/idempotency.ts';
import { repeat, type Worker } from './worker.ts';

const PAUSE_MS = 60_000;
const CHUNK = 500;

/** Removes what is past its time, in chunks small enough to delay no request. */
export function startJanitor({ store, clock, log }: ServiceDeps): Worker {
  return repeat('the janitor', clock, log, PAUSE_MS, async () => {
    const removed = await store.write((tx) => idempotency.purge(tx, CHUNK), { durable: false });
    return removed === CHUNK;
  });
}
