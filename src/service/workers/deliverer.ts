import { setMaxListeners } from 'node:events';
import { openEgress } from '../egress/egress.ts';
import { post } from '../egress/post.ts';
import type { ServiceDeps } from '../runtime/deps.ts';
import { type ClaimedDelivery, deliveries } from '../store/repositories/deliveries.ts';
import { deliveryAttempt } from './delivery-attempt.ts';
import { type ReservedSlots, reserveSlots } from './delivery-slots.ts';
import { JobPool } from './job-pool.ts';
import { keepLeases, LEASE_MS } from './leases.ts';
import { repeat, type Worker, wokenBy } from './worker.ts';

/** Subscriptions that one round checks. */
const SUBSCRIPTIONS_PER_ROUND = 32;
/** Retries become due without a notification; new deliveries wake the worker. */
const POLL_MS = 1000;

/**
 * Sends due deliveries. The number of running deliveries is limited per subscription, so that a hanging receiver delays
 * only its own. On stop, running deliveries are released and become due at once.
 */
export function startDeliverer(deps: ServiceDeps, send: typeof post = post): Worker {
  const { store, clock, log } = deps;
  const pool = new JobPool();
  const leases = keepLeases<ClaimedDelivery>(deps, (tx, held) => deliveries.renew(tx, held, LEASE_MS));
  const stopping = new AbortController();
  // Each running attempt adds a listener.
  setMaxListeners(0, stopping.signal);
  const egress = openEgress(deps.policy);
  const attempt = deliveryAttempt(deps, egress, send, stopping.signal);
  /** The last subscription that was checked. A pass over all of them may take several rounds. */
  let cursor = '';
  /** True if this pass left deliveries for which slots are free; another pass follows at once. */
  let passCapped = false;
  /** True if deliveries may be due for which no slot was free; the next one that ends starts a round. */
  let waitingForSlot = false;

  /** Claims and starts some of the due deliveries. Returns whether the next round may start more. */
  const round = async (): Promise<boolean> => {
    const due = await store.read((tx) => deliveries.dueSubscriptions(tx, cursor, SUBSCRIPTIONS_PER_ROUND));
    const passEnded = due.length < SUBSCRIPTIONS_PER_ROUND;
    cursor = passEnded ? '' : due.at(-1)!.webhookId;
    const reserved = reserveSlots(due, pool);
    if (reserved.length < due.length) waitingForSlot = true;
    if (reserved.length > 0)
      await pool.fill(
        reserved,
        () => claim(reserved),
        (claimed) => leases.during(claimed, () => attempt(claimed)),
        wakeIfWaiting,
      );
    const more = !passEnded || passCapped;
    if (passEnded) passCapped = false;
    return more;
  };

  const claim = async (reserved: readonly ReservedSlots[]): Promise<ClaimedDelivery[][]> => {
    const claims = await store.write(
      async (tx) => {
        const claimed: ClaimedDelivery[][] = [];
        for (const { webhookId, count } of reserved)
          claimed.push(await deliveries.claim(tx, webhookId, count, LEASE_MS));
        return claimed;
      },
      { durable: false },
    );
    reserved.forEach(({ count, capped }, i) => {
      if (claims[i]!.length < count) return;
      if (capped) passCapped = true;
      else waitingForSlot = true;
    });
    return claims;
  };

  const wakeIfWaiting = () => {
    if (!waitingForSlot) return;
    waitingForSlot = false;
    worker.wake();
  };

  const worker = wokenBy(store, 'deliveries', repeat('the deliverer', clock, log, POLL_MS, round));
  return {
    wake: worker.wake,
    // The order matters: a delivery that is no longer due belongs to a running job or to the current round.
    idle: async () =>
      (await store.read((tx) => deliveries.dueSubscriptions(tx, '', 1))).length === 0 &&
      pool.size === 0 &&
      worker.idle(),
    stop: async () => {
      await worker.stop();
      stopping.abort();
      await pool.drained();
      await leases.stop();
      await egress.close();
    },
  };
}
