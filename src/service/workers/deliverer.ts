import { setMaxListeners } from 'node:events';
import { deliveryHeaders } from '../../contract/delivery-headers.ts';
import { secretAssociatedData } from '../crypto/associated-data.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { openEgress } from '../egress/egress.ts';
import { DELIVERY_DEADLINE_MS, post } from '../egress/post.ts';
import type { ServiceDeps } from '../runtime/deps.ts';
import { type ClaimedDelivery, type DueLane, deliveries } from '../store/repositories/deliveries.ts';
import { KeyedConcurrency } from './keyed-concurrency.ts';
import { keepLeases, LEASE_MS } from './leases.ts';
import { writeDown } from './record-result.ts';
import { type Bound, SharedRoom } from './shared-capacity.ts';
import { repeat, type Worker } from './worker.ts';

/** Deliveries of one subscription under way at a time. */
const WIDTH = 16;
/** The same for one that has been failing: enough to see it recover, too few to press it. */
const FAILING_WIDTH = 2;
/** Results of one subscription that are written down at a time. */
const RESULTS = 4;
/** Subscriptions looked at in one round, and deliveries that it takes up: some milliseconds of work. */
const LANES_OF_ROUND = 32;
const TAKEN_BY_ROUND = 64;
/** Deliveries to one host under way at a time, whatever the number of its subscriptions. */
const HOST_WIDTH = 64;
/** Deliveries under way in all, each with a connection; failing subscriptions may take half of them. */
const TOTAL_WIDTH = 1024;
const FAILING_TOTAL = TOTAL_WIDTH / 2;
/** Beyond this many under way a subscription takes one at a time: those that answer get through beside hanging ones. */
const CROWDED = TOTAL_WIDTH / 2;
/** Retries fall due without anybody telling; new deliveries are told of. */
const LOOK_MS = 1000;

/** A subscription of which deliveries are taken up. */
interface OpenLane {
  readonly webhookId: string;
  readonly bounds: readonly Bound[];
  /** How many. */
  readonly room: number;
  /** The piece that a round takes up leaves room of its own. */
  readonly cut: boolean;
}

/**
 * Sends due deliveries. Each subscription has its own lane, so that a receiver that hangs delays only itself.
 * What is under way when the service stops is given back at once.
 */
export function startDeliverer(deps: ServiceDeps, send: typeof post = post): Worker {
  const { store, clock, log, policy, random, cipher } = deps;
  const lanes = new KeyedConcurrency(WIDTH);
  const leases = keepLeases<ClaimedDelivery>(deps, (tx, held) => deliveries.renew(tx, held, LEASE_MS));
  const stopping = new AbortController();
  // One listener for each attempt under way.
  setMaxListeners(0, stopping.signal);
  const egress = openEgress(policy);
  const shared = new SharedRoom();
  /** Set where more was due than was taken: the next delivery that ends is a reason to look again. */
  let backlog = false;
  /** Behind which subscription the next round looks; a pass over all of them takes as many rounds as it needs. */
  let place = '';
  /** Set where a pass took less from a subscription than it had room for. */
  let again = false;

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
      await writeDown(
        deps,
        stopping.signal,
        (tx) =>
          deliveries.finish(tx, claimed, { ...result, startedAt, durationMs, endedAt: tx.now }, random()),
        // A failure locks the subscription, where each result of the lane would wait with a connection of its own.
        { durable: false, turns: [{ name: `results ${claimed.webhookId}`, width: RESULTS }] },
      );
    } catch (error) {
      // The lease runs out, and the delivery is tried again.
      log('error', 'a delivery was not written down', {
        deliveryId: claimed.deliveryId,
        reason: error instanceof Error ? error.message : String(error),
      });
    }
  };

  /** Takes up a piece of what is due. Returns whether there is more that could be taken up. */
  const round = async (): Promise<boolean> => {
    const due = await store.read((tx) => deliveries.dueLanes(tx, place, LANES_OF_ROUND));
    const passed = due.length < LANES_OF_ROUND;
    place = passed ? '' : due.at(-1)!.webhookId;
    const open = openLanes(due);
    if (open.length < due.length) backlog = true;
    if (open.length > 0) await takeUp(open);
    const more = !passed || again;
    if (passed) again = false;
    return more;
  };

  const takeUp = async (open: readonly OpenLane[]): Promise<void> => {
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
    open.forEach(({ webhookId, room, cut, bounds }, i) => {
      const claimed = claims[i]!;
      if (claimed.length === room) {
        if (cut) again = true;
        else backlog = true;
      }
      for (const each of claimed)
        lanes.run(
          webhookId,
          () => leases.during(each, () => attempt(each)),
          () => {
            shared.release(bounds);
            if (!backlog) return;
            backlog = false;
            worker.wake();
          },
        );
    });
  };

  /** The lanes that may take something now, and how much: those that do not fail first, and of them the idlest. */
  const openLanes = (due: readonly DueLane[]): OpenLane[] => {
    const crowded = lanes.size >= CROWDED;
    const wanting = due
      .map((lane) => ({
        ...lane,
        own: lanes.room(lane.webhookId, crowded ? 1 : lane.failing ? FAILING_WIDTH : WIDTH),
      }))
      .filter(({ own }) => own > 0)
      .sort((a, b) => Number(a.failing) - Number(b.failing) || b.own - a.own);
    const share = Math.max(1, Math.floor(TAKEN_BY_ROUND / wanting.length));
    return wanting
      .map(({ webhookId, url, failing, own }) => {
        const bounds = [
          { key: `host ${URL.canParse(url) ? new URL(url).host : url}`, most: HOST_WIDTH },
          { key: 'all', most: TOTAL_WIDTH },
          ...(failing ? [{ key: 'failing', most: FAILING_TOTAL }] : []),
        ];
        const room = shared.take(bounds, Math.min(own, share));
        return { webhookId, bounds, room, cut: room === share && room < own };
      })
      .filter(({ room }) => room > 0);
  };

  const worker = repeat('the deliverer', clock, log, LOOK_MS, round);
  const unsubscribe = store.subscribe('deliveries', () => worker.wake());
  return {
    wake: worker.wake,
    // In this order: what is no longer due was taken up, and then the round or a lane is still at it.
    idle: async () =>
      (await store.read((tx) => deliveries.dueLanes(tx, '', 1))).length === 0 && !lanes.busy && worker.idle(),
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
  const place = secretAssociatedData(claimed.webhookId);
  const present = cipher.open(claimed.secret, place);
  return claimed.previousSecret === null ? [present] : [present, cipher.open(claimed.previousSecret, place)];
}
