import { signedHeaders } from '../../contract/signed-headers.ts';
import { headersAssociatedData, secretAssociatedData } from '../platform/crypto/associated-data.ts';
import type { Cipher } from '../platform/crypto/cipher.ts';
import { openEgress } from '../platform/egress/egress.ts';
import { DELIVERY_DEADLINE_MS, type PostResult, post } from '../platform/egress/post.ts';
import type { Platform } from '../platform/platform.ts';
import type { Policy } from '../platform/settings.ts';
import { due } from '../platform/store/due.ts';
import { traceHeaders } from '../platform/tracing/tracing.ts';
import { Jobs, LEASE_MS, recordResult } from '../platform/workers/jobs.ts';
import { type Worker, worker } from '../platform/workers/worker.ts';
import { type ReservedSlots, reserveSlots } from './delivery-slots.ts';
import { QuickSubscriptions } from './quick-subscriptions.ts';
import { isSuccess, type Verdict } from './rules/attempt.ts';
import { type ClaimedDelivery, deliveryClaims } from './store/claims.ts';
import { deliveries } from './store/deliveries.ts';
import { Successes } from './successes.ts';

/** Subscriptions of a workspace that one round checks. */
const SUBSCRIPTIONS_PER_ROUND = 32;
/** Retries become due without a notification; new deliveries wake the worker. */
const POLL_MS = 1000;
/** Results of one subscription that are stored at a time. */
const STORED_AT_ONCE = 4;
/** How long one that was claimed ahead waits to be sent, in ms. Much longer than quick receivers take for all that are ahead. */
const AHEAD_MS = 5000;
/** Deliveries that are signed and sent in one piece of work, where no request waits. */
const SENT_AT_ONCE = 8;

/** A claimed delivery, and the limits that it waits for before it is sent. */
type Sendable = ClaimedDelivery & Pick<ReservedSlots, 'sending' | 'ahead'>;

/**
 * Sends due deliveries. The number of running deliveries is limited per subscription, so that a hanging receiver delays
 * only its own. On stop, running deliveries are released and become due at once.
 */
export function startDeliverer(
  platform: Omit<Platform, 'repeatable'>,
  policy: () => Policy,
  send: typeof post = post,
): Worker {
  const { store, clock, machine, random, cipher, precedence, tracing, log } = platform;
  const egress = openEgress(policy);
  /** The last subscription of each workspace that was checked. A pass over all of them may take several rounds. */
  const cursors = new Map<string, string>();
  /** True if deliveries may be due for which no slot was free; the next one that ends starts a round. */
  let waitingForSlot = false;
  const quick = new QuickSubscriptions();
  let piece = { left: 0, turn: Promise.resolve() };

  /** Resolves when a delivery may be sent: some at a time, since a turn for each would take longer than sending it. */
  const turn = () => {
    if (piece.left === 0) {
      const next = { left: precedence.idle ? SENT_AT_ONCE : 1, turn: Promise.resolve() };
      next.turn = precedence.yieldToRequests().then(() => {
        next.left = 0;
      });
      piece = next;
    }
    piece.left--;
    return piece.turn;
  };

  const sendSigned = async (claimed: ClaimedDelivery): Promise<PostResult> => {
    const body = Buffer.from(claimed.body);
    const signed = signedHeaders(claimed.deliveryId, machine.now(), body, secretsOf(claimed, cipher));
    const headers = { ...staticHeadersOf(claimed, cipher), ...signed };
    const route = egress.to(claimed.url);
    if ('refused' in route) return { status: null, error: route.refused, retryAfterMs: null };
    const span = tracing.start({
      kind: 'client',
      name: 'POST webhook',
      parent: claimed.trace,
      attributes: { 'http.request.method': 'POST', 'svc.delivery_id': claimed.deliveryId },
    });
    const sending = { ...route, deadlineMs: DELIVERY_DEADLINE_MS, now: machine.now, signal: jobs.aborting };
    const result = await send(claimed.url, body, { ...headers, ...traceHeaders(span) }, sending);
    span.end(result.status);
    return result;
  };

  const release = (claimed: ClaimedDelivery) =>
    store.write((tx) => deliveryClaims.release(tx, claimed), { durable: false });

  /** Sends a claimed delivery once and stores the result. */
  const attempt = async (claimed: Sendable): Promise<void> => {
    const { workspaceId, webhookId, sending, ahead } = claimed;
    const sent = await jobs.limiter.acquire(sending, AHEAD_MS);
    if (!sent) return release(claimed);
    let result: PostResult;
    let startedAt: number;
    let began: number;
    try {
      await turn();
      if (ahead && quick.failed(webhookId)) return await release(claimed);
      startedAt = clock.now();
      began = machine.now();
      result = await sendSigned(claimed);
    } finally {
      sent();
    }
    if (result.status === null && jobs.aborting.aborted) return release(claimed);
    const durationMs = machine.now() - began;
    quick.ended(webhookId, { ...result, startedAt, durationMs });
    if (isSuccess(result.status)) return successes.add(claimed, { ...result, startedAt, durationMs });
    let verdict: Verdict | undefined;
    await recordResult(
      platform,
      jobs.aborting,
      async (tx) => {
        const ended = { ...result, startedAt, durationMs, endedAt: tx.now };
        verdict = await deliveries.finish(tx, claimed, ended, random());
      },
      // A failure locks the row of the subscription. Without the limit, each waiting result would hold a connection.
      { durable: false, concurrencyKeys: [{ key: `results ${claimed.webhookId}`, max: STORED_AT_ONCE }] },
    );
    if (verdict?.disable)
      log('warn', 'a subscription was disabled', { workspaceId, webhookId, reason: verdict.disable });
  };

  const successes = new Successes(platform, () => jobs.aborting, quick);
  const jobs = new Jobs<Sendable>(platform, {
    what: 'a delivery attempt',
    fields: ({ deliveryId }) => ({ deliveryId }),
    renew: (tx, held) => deliveryClaims.renew(tx, held, LEASE_MS),
    release: (tx, claimed) => deliveryClaims.release(tx, claimed),
    run: attempt,
    graceMs: 0,
  });

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

  /** Claims and starts some of the due deliveries of a workspace. Returns whether the next round may start more. */
  const deliver = async (workspaceId: string): Promise<boolean> => {
    const after = cursors.get(workspaceId) ?? '';
    const found = await store.read((tx) =>
      deliveries.dueSubscriptions(tx, workspaceId, after, SUBSCRIPTIONS_PER_ROUND),
    );
    const ended = found.length < SUBSCRIPTIONS_PER_ROUND;
    if (ended) cursors.delete(workspaceId);
    else cursors.set(workspaceId, found.at(-1)!.webhookId);
    const reserved = reserveSlots(found, jobs, quick, precedence.idle);
    if (reserved.length < found.length) waitingForSlot = true;
    const partial = !ended || after !== '' || reserved.length < found.length;
    if (partial && reserved.length === 0) return !ended;
    let capped = false;
    await jobs.fill(
      reserved,
      async () => {
        const claims = await claim(workspaceId, reserved, partial);
        const full = reserved.filter(({ count }, i) => claims[i]!.length === count);
        capped = full.some((slots) => slots.capped);
        if (full.some((slots) => !slots.capped)) waitingForSlot = true;
        return claims.map((claimed, i) => {
          const { sending, ahead } = reserved[i]!;
          return claimed.map((each) => ({ ...each, sending, ahead }));
        });
      },
      () => {
        if (!waitingForSlot) return;
        waitingForSlot = false;
        deliverer.wake();
      },
    );
    return !ended || capped;
  };

  const deliverer = worker(platform, {
    name: 'the deliverer',
    lane: 'deliveries',
    topics: ['deliveries'],
    pause: POLL_MS,
    jobs,
    work: deliver,
    close: () => egress.close(),
  });
  return deliverer;
}

/** The static headers of the subscription of a delivery. */
function staticHeadersOf({ headers, webhookId }: ClaimedDelivery, cipher: Cipher): Record<string, string> {
  return headers === null ? {} : JSON.parse(cipher.open(headers, headersAssociatedData(webhookId)));
}

/** The opened form of sealed secrets. The deliveries of one claim share these, and opening costs as much as signing. */
const opened = new WeakMap<Uint8Array, string>();

/** The secrets that sign a delivery: the current one, and during a rotation the previous one. */
function secretsOf(claimed: ClaimedDelivery, cipher: Cipher): [string, ...string[]] {
  const open = (sealed: Uint8Array) => {
    const secret = opened.get(sealed) ?? cipher.open(sealed, secretAssociatedData(claimed.webhookId));
    opened.set(sealed, secret);
    return secret;
  };
  const current = open(claimed.secret);
  return claimed.previousSecret === null ? [current] : [current, open(claimed.previousSecret)];
}
