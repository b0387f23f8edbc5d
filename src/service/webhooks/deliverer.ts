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

  /** Sends a claimed delivery once and stores the result. */
  const attempt = async (claimed: ClaimedDelivery): Promise<void> => {
    await precedence.yieldToRequests();
    const startedAt = clock.now();
    const began = machine.now();
    const result = await sendSigned(claimed);
    if (result.status === null && jobs.aborting.aborted) {
      await store.write((tx) => deliveryClaims.release(tx, claimed), { durable: false });
      return;
    }
    const durationMs = machine.now() - began;
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
    const { workspaceId, webhookId } = claimed;
    if (verdict?.disable)
      log('warn', 'a subscription was disabled', { workspaceId, webhookId, reason: verdict.disable });
  };

  const successes = new Successes(platform, () => jobs.aborting);
  const jobs = new Jobs<ClaimedDelivery>(platform, {
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
    const reserved = reserveSlots(found, jobs);
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
        return claims;
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
