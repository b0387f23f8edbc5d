import { setMaxListeners } from 'node:events';
import { openEgress } from '../platform/egress/egress.ts';
import { post } from '../platform/egress/post.ts';
import type { Platform } from '../platform/platform.ts';
import type { Policy } from '../platform/settings.ts';
import { due } from '../platform/store/due.ts';
import { dueWorkspaces } from '../platform/store/due-workspaces.ts';
import { dueRound } from '../platform/workers/by-workspace.ts';
import { JobPool } from '../platform/workers/job-pool.ts';
import { keepLeases, LEASE_MS } from '../platform/workers/leases.ts';
import { repeat, type Worker, wokenBy } from '../platform/workers/worker.ts';
import { deliveryAttempt } from './delivery-attempt.ts';
import { type ReservedSlots, reserveSlots } from './delivery-slots.ts';
import { type ClaimedDelivery, deliveries } from './store/deliveries.ts';

/** Subscriptions of a workspace that one round checks. */
const SUBSCRIPTIONS_PER_ROUND = 32;
/** Retries become due without a notification; new deliveries wake the worker. */
const POLL_MS = 1000;

/**
 * Sends due deliveries. The number of running deliveries is limited per subscription, so that a hanging receiver delays
 * only its own. On stop, running deliveries are released and become due at once.
 */
export function startDeliverer(
  platform: Omit<Platform, 'repeatable'>,
  policy: () => Policy,
  send: typeof post = post,
): Worker {
  const { store, clock, log } = platform;
  const pool = new JobPool(platform.share);
  const leases = keepLeases<ClaimedDelivery>(platform, (tx, held) => deliveries.renew(tx, held, LEASE_MS));
  const stopping = new AbortController();
  // Each running attempt adds a listener.
  setMaxListeners(0, stopping.signal);
  const egress = openEgress(policy);
  const attempt = deliveryAttempt(platform, egress, send, stopping.signal);
  /** The last subscription of each workspace that was checked. A pass over all of them may take several rounds. */
  const cursors = new Map<string, string>();
  /** True if deliveries may be due for which no slot was free; the next one that ends starts a round. */
  let waitingForSlot = false;

  /** Claims and starts some of the due deliveries of a workspace. Returns whether the next round may start more. */
  const deliver = async (workspaceId: string): Promise<boolean> => {
    const after = cursors.get(workspaceId) ?? '';
    const found = await store.read((tx) =>
      deliveries.dueSubscriptions(tx, workspaceId, after, SUBSCRIPTIONS_PER_ROUND),
    );
    const ended = found.length < SUBSCRIPTIONS_PER_ROUND;
    if (ended) cursors.delete(workspaceId);
    else cursors.set(workspaceId, found.at(-1)!.webhookId);
    const reserved = reserveSlots(found, pool);
    if (reserved.length < found.length) waitingForSlot = true;
    const partial = !ended || after !== '' || reserved.length < found.length;
    if (partial && reserved.length === 0) return !ended;
    let capped = false;
    await pool.fill(
      reserved,
      async () => {
        const claims = await claim(workspaceId, reserved, partial);
        const full = reserved.filter(({ count }, i) => claims[i]!.length === count);
        capped = full.some((slots) => slots.capped);
        if (full.some((slots) => !slots.capped)) waitingForSlot = true;
        return claims;
      },
      (claimed) => leases.during(claimed, () => attempt(claimed)),
      wakeIfWaiting,
    );
    return !ended || capped;
  };

  /** `partial`: others than the reserved ones may be due. */
  const claim = (workspaceId: string, reserved: readonly ReservedSlots[], partial: boolean) =>
    store.write(
      async (tx) => {
        await due.clear(tx, workspaceId, 'deliveries');
        const claimed: ClaimedDelivery[][] = [];
        for (const { webhookId, count } of reserved)
          claimed.push(await deliveries.claim(tx, workspaceId, webhookId, count, LEASE_MS));
        const full = reserved.some(({ count }, i) => claimed[i]!.length === count);
        const next = partial || full ? tx.now : await deliveries.nextDue(tx, workspaceId);
        if (next !== undefined) await due.mark(tx, workspaceId, 'deliveries', next);
        return claimed;
      },
      { durable: false },
    );

  const wakeIfWaiting = () => {
    if (!waitingForSlot) return;
    waitingForSlot = false;
    worker.wake();
  };

  const round = dueRound(platform, 'deliveries', deliver);
  const worker = wokenBy(store, 'deliveries', repeat('the deliverer', clock, log, POLL_MS, round));
  return {
    wake: worker.wake,
    // The order matters: a delivery that is no longer due belongs to a running job or to the current round.
    idle: async () =>
      !(await store.read((tx) => dueWorkspaces.any(tx, store.workers, 'deliveries'))) &&
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
