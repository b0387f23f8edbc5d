import { setMaxListeners } from 'node:events';
import { deliveryHeaders } from '../../contract/delivery-headers.ts';
import type { Cipher } from '../crypto/cipher.ts';
import type { ServiceDeps } from '../deps.ts';
import { openEgress } from '../egress/egress.ts';
import { DELIVERY_DEADLINE_MS, post } from '../egress/post.ts';
import { secretPlace } from '../sealed-places.ts';
import { type ClaimedDelivery, type DueLane, deliveries } from '../store/deliveries.ts';
import { Lanes } from './lanes.ts';
import { keepLeases, LEASE_MS } from './leases.ts';
import { SharedRoom } from './shared-room.ts';
import { repeat, type Worker } from './worker.ts';

/** Deliveries of one subscription under way at a time. */
const WIDTH = 16;
/** The same for one that has been failing: enough to see it recover, too few to press it. */
const FAILING_WIDTH = 2;
/** Deliveries to one host under way at a time, whatever the number of its subscriptions. */
const HOST_WIDTH = 64;
/** Deliveries under way in all, each with a connection; failing subscriptions may take half of them. */
const TOTAL_WIDTH = 1024;
const FAILING_TOTAL = TOTAL_WIDTH / 2;
/** Retries fall due without anybody telling; new deliveries are told of. */
const LOOK_MS = 1000;

/**
 * Sends due deliveries. Each subscription has its own lane, so that a receiver that hangs delays only itself.
 * What is under way when the service stops is given back at once.
 */
export function startDeliverer(deps: ServiceDeps, send: typeof post = post): Worker {
  const { store, clock, log, policy, random, cipher } = deps;
  const lanes = new Lanes(WIDTH);
  const leases = keepLeases<ClaimedDelivery>(deps, (tx, held) => deliveries.renew(tx, held, LEASE_MS));
  const stopping = new AbortController();
  // One listener for each attempt under way.
  setMaxListeners(0, stopping.signal);
  const egress = openEgress(policy);
  /** Lanes that had more due than they took. */
  const backlog = new Set<string>();
  const shared = new SharedRoom();
  /** A lane took less than its own width allows: whatever ends makes room for it. */
  let short = false;

  const attempt = async (claimed: ClaimedDelivery): Promise<void> => {
    const startedAt = clock.now();
    try {
      const body = Buffer.from(claimed.body);
      const headers = deliveryHeaders(claimed.deliveryId, startedAt, body, secretsOf(claimed, cipher));
      const way = egress.to(claimed.url);
      const result =
        'refused' in way
          ? { status: null, error: way.refused, retryAfterMs: null }
          : await send(claimed.url, body, headers, {
              ...way,
              deadlineMs: DELIVERY_DEADLINE_MS,
              now: clock.now,
              signal: stopping.signal,
            });
      if (result.status === null && stopping.signal.aborted) {
        await store.write((tx) => deliveries.release(tx, claimed), { durable: false });
        return;
      }
      const durationMs = clock.now() - startedAt;
      await store.write(
        (tx) =>
          deliveries.finish(tx, claimed, { ...result, startedAt, durationMs, endedAt: tx.now }, random()),
        { durable: false },
      );
    } catch (error) {
      // The lease runs out, and the delivery is tried again.
      log('error', 'a delivery was not written down', {
        deliveryId: claimed.deliveryId,
        reason: error instanceof Error ? error.message : String(error),
      });
    }
  };

  const round = async (): Promise<boolean> => {
    const due = await store.read((tx) => deliveries.dueLanes(tx));
    const open = openLanes(due);
    if (open.length === 0) return false;
    let claims: ClaimedDelivery[][] = [];
    try {
      claims = await store.write(
        async (tx) => {
          const taken: ClaimedDelivery[][] = [];
          for (const { webhookId, room } of open)
            taken.push(await deliveries.claim(tx, webhookId, room, LEASE_MS));
          return taken;
        },
        { durable: false },
      );
    } finally {
      open.forEach(({ bounds, room }, i) => {
        shared.release(bounds, room - (claims[i]?.length ?? 0));
      });
    }
    open.forEach(({ webhookId, room, bounds }, i) => {
      if (claims[i]!.length === room) backlog.add(webhookId);
      else backlog.delete(webhookId);
      for (const claimed of claims[i]!)
        lanes.run(
          webhookId,
          () => leases.during(claimed, () => attempt(claimed)),
          () => {
            shared.release(bounds);
            if (short || backlog.has(webhookId)) worker.wake();
          },
        );
    });
    return false;
  };

  /** The lanes that may take something now, and how much: those that do not fail first, and of them the idlest. */
  const openLanes = (due: readonly DueLane[]) => {
    short = false;
    return due
      .map((lane) => ({ ...lane, own: lanes.room(lane.webhookId, lane.failing ? FAILING_WIDTH : WIDTH) }))
      .sort((a, b) => Number(a.failing) - Number(b.failing) || b.own - a.own)
      .map(({ webhookId, url, failing, own }) => {
        const bounds = [
          { key: `host ${URL.canParse(url) ? new URL(url).host : url}`, most: HOST_WIDTH },
          { key: 'all', most: TOTAL_WIDTH },
          ...(failing ? [{ key: 'failing', most: FAILING_TOTAL }] : []),
        ];
        const room = shared.take(bounds, own);
        if (room < own) short = true;
        return { webhookId, room, bounds };
      })
      .filter(({ room }) => room > 0);
  };

  const worker = repeat('the deliverer', clock, log, LOOK_MS, round);
  const unsubscribe = store.subscribe('deliveries', () => worker.wake());
  return {
    wake: worker.wake,
    // In this order: what is no longer due was taken up, and then the round or a lane is still at it.
    idle: async () =>
      (await store.read((tx) => deliveries.dueLanes(tx))).length === 0 && !lanes.busy && worker.idle(),
    stop: async () => {
      unsubscribe();
      await worker.stop();
      stopping.abort();
      await lanes.drained();
      await leases.stop();
      await egress.close();
    },
  };
}

function secretsOf(claimed: ClaimedDelivery, cipher: Cipher): [string, ...string[]] {
  const place = secretPlace(claimed.webhookId);
  const present = cipher.open(claimed.secret, place);
  return claimed.previousSecret === null ? [present] : [present, cipher.open(claimed.previousSecret, place)];
}
