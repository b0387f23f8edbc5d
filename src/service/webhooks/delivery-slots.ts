import type { Limit } from '../../kit/concurrency-limiter.ts';
import type { Jobs, Reservation } from '../platform/workers/jobs.ts';
import type { QuickSubscriptions } from './quick-subscriptions.ts';
import type { DueSubscription } from './store/deliveries.ts';

/** Running deliveries of one subscription. */
const PER_SUBSCRIPTION = 32;
/** Claimed ones of a subscription whose receiver is quick: PER_SUBSCRIPTION of them run, so that claims and results are many. */
const CLAIMED_OF_QUICK = 128;
/** Of a failing subscription: enough to notice its recovery, too few to overload it. */
const PER_FAILING_SUBSCRIPTION = 2;
/** Running deliveries to one host, across all its subscriptions. */
const PER_HOST = 64;
/** Running deliveries in total, each with a connection. Failing subscriptions may use half of them. */
const TOTAL = 1024;
const FAILING_TOTAL = TOTAL / 2;
/** From this many running deliveries on, a subscription gets one slot, so that fast receivers get through beside hanging ones. */
const CROWDED = TOTAL / 2;
/** Deliveries claimed in one round: some milliseconds of work, and fewer while requests wait. */
const PER_ROUND = 128;
const PER_BUSY_ROUND = 32;

/** The slots that a round reserved for the due deliveries of one subscription. */
export interface ReservedSlots extends Reservation {
  readonly webhookId: string;
  /** Limits that hold while one is sent. */
  readonly sending: readonly Limit[];
  /** More are claimed than are sent at a time. */
  readonly ahead: boolean;
  /** True if the subscription has more free slots than its share of the round. */
  readonly capped: boolean;
}

/**
 * Reserves slots for the subscriptions that have due deliveries and a free slot. Healthy subscriptions come before
 * failing ones, and then those with the most free slots. Each gets at most an equal share of the round. `idle`: no request
 * waits.
 */
export function reserveSlots(
  due: readonly DueSubscription[],
  jobs: Pick<Jobs<never>, 'limiter' | 'share' | 'size'>,
  quick: Pick<QuickSubscriptions, 'has'>,
  idle: boolean,
): ReservedSlots[] {
  const crowded = jobs.size >= CROWDED * jobs.share;
  const candidates = due
    .map((subscription) => {
      const ahead = idle && !crowded && !subscription.failing && quick.has(subscription.webhookId);
      const limit = ahead
        ? { key: keyOf(subscription), max: CLAIMED_OF_QUICK }
        : subscriptionLimit(subscription, crowded);
      return { ...subscription, ahead, limit, free: jobs.limiter.free([limit]) };
    })
    .filter(({ free }) => free > 0)
    .sort((a, b) => Number(a.failing) - Number(b.failing) || b.free - a.free);
  const share = Math.max(1, Math.floor((idle ? PER_ROUND : PER_BUSY_ROUND) / candidates.length));
  return candidates
    .map(({ webhookId, url, failing, ahead, limit, free }) => {
      const limits = [limit, ...totalLimits(failing), ...(ahead ? [] : [hostLimit(url)])];
      // One limit for both kinds: those that were claimed before it was quick may still be sent.
      const sending = [
        { key: `sending ${webhookId}`, max: PER_SUBSCRIPTION },
        ...(ahead ? [hostLimit(url)] : []),
      ];
      const count = jobs.limiter.tryAcquire(limits, Math.min(free, share));
      return { webhookId, limits, sending, ahead, count, capped: count === share && count < free };
    })
    .filter(({ count }) => count > 0);
}

const keyOf = ({ webhookId }: DueSubscription) => `subscription ${webhookId}`;

function subscriptionLimit(subscription: DueSubscription, crowded: boolean): Limit {
  const { failing } = subscription;
  return {
    key: keyOf(subscription),
    max: crowded ? 1 : failing ? PER_FAILING_SUBSCRIPTION : PER_SUBSCRIPTION,
  };
}

const hostLimit = (url: string): Limit => ({
  key: `host ${URL.canParse(url) ? new URL(url).host : url}`,
  max: PER_HOST,
});

const totalLimits = (failing: boolean): Limit[] => [
  { key: 'total', max: TOTAL },
  ...(failing ? [{ key: 'failing', max: FAILING_TOTAL }] : []),
];
