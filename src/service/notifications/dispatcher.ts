import { setMaxListeners } from 'node:events';
import type { Platform } from '../platform/platform.ts';
import { due } from '../platform/store/due.ts';
import { dueWorkspaces } from '../platform/store/due-workspaces.ts';
import { workspaces } from '../platform/store/workspaces.ts';
import { dueRound } from '../platform/workers/by-workspace.ts';
import { JobPool } from '../platform/workers/job-pool.ts';
import { CLAIMED_MS, keepLeases, LEASE_MS } from '../platform/workers/leases.ts';
import { recordResult } from '../platform/workers/record-result.ts';
import { repeat, type Worker, wokenBy } from '../platform/workers/worker.ts';
import { maySend } from './may-send.ts';
import { attemptNotification, type SentContent } from './notification-attempt.ts';
import type { ChannelAdapter, ChannelMessage, SendResult } from './providers/channel.ts';
import type { Channels } from './providers/settings.ts';
import { notificationClaims } from './store/notification-claims.ts';
import { type ClaimedNotification, notifications } from './store/notifications.ts';

/** Notifications of one priority that are sent at a time through one channel: marketing takes no place of transactional. */
const PER_CHANNEL = 8;
const POLL_MS = 1000;
/** Timeout for a channel to accept one notification. */
const SEND_TIMEOUT_MS = 45_000;
/** How long a cancelled send may take to say what became of it, in ms: it may not have begun. */
const CANCELLED_MS = 500;
/** How often the same reason of a provider is logged, in ms, and how many are remembered. */
const REPORT_MS = 300_000;
const MAX_REPORTED = 100;
/** How long `stop` waits for running sends before it aborts them. */
const STOP_TIMEOUT_MS = 2000;

/** Sends due notifications through their channels, with a concurrency limit per channel. */
export function startDispatcher(platform: Platform, channels: Channels, content: SentContent): Worker {
  const { store, clock, log, random } = platform;
  const pool = new JobPool(platform.share);
  const leases = keepLeases<ClaimedNotification>(platform, (tx, held) =>
    notifications.renew(tx, held, LEASE_MS),
  );
  /** No new sends. */
  const stopping = new AbortController();
  /** Running sends end with an ambiguous outcome. */
  const aborting = new AbortController();
  setMaxListeners(0, aborting.signal);
  /** Until when a provider that had too many requests is left alone, in time of the clock. */
  const throttled = new Map<ChannelAdapter, number>();
  const backOff = (adapter: ChannelAdapter, ms: number) => {
    throttled.set(adapter, Math.max(throttled.get(adapter) ?? 0, clock.now() + ms));
    clock.sleep(ms, stopping.signal).then(
      () => worker.wake(),
      () => {},
    );
  };
  const waitOf = (adapter: ChannelAdapter) => Math.max(0, (throttled.get(adapter) ?? 0) - clock.now());

  /** When each reason was last logged, in time of the clock: without a limit, every notification would have a line. */
  const reported = new Map<string, number>();
  const reportRetry = (provider: string, reason: string) => {
    const key = `${provider}\n${reason}`;
    const at = clock.now();
    if (at - (reported.get(key) ?? Number.NEGATIVE_INFINITY) < REPORT_MS) return;
    if (reported.size >= MAX_REPORTED) reported.clear();
    reported.set(key, at);
    log('warn', 'a provider did not take a notification, which is sent again later', { provider, reason });
  };

  const dispatch = async (claimed: ClaimedNotification, fresh: boolean): Promise<void> => {
    try {
      if (stopping.signal.aborted || !fresh) {
        await store.write((tx) => notifications.release(tx, claimed));
        return;
      }
      const adapter = channels.forChannel(claimed.channel, claimed.mode);
      const attempt = await attemptNotification(platform, content, claimed, adapter, (message) =>
        sendWithTimeout(adapter, message),
      );
      if (attempt.throttledMs !== undefined) backOff(adapter, attempt.throttledMs);
      if (attempt.result.event === 'retry' && !stopping.signal.aborted)
        reportRetry(adapter.name, attempt.result.failure);
      await recordResult(platform, aborting.signal, async (tx) => {
        await notifications.finish(tx, claimed, attempt.result, random());
        await attempt.store(tx);
      });
    } catch (error) {
      // After the lease expires, the next worker decides whether it is safe to send again.
      log('error', 'cannot store the result of sending a notification', {
        notificationId: claimed.notificationId,
        reason: error instanceof Error ? error.message : String(error),
      });
    }
  };

  /**
   * Cancels a send that takes too long, or longer than the service may take to stop. The channel then says what became of
   * it: a message of which nothing was written is sent later. If it does not say, the outcome is unknown.
   */
  const sendWithTimeout = async (adapter: ChannelAdapter, message: ChannelMessage): Promise<SendResult> => {
    if (aborting.signal.aborted) return { outcome: 'retryable', error: 'the service stops' };
    const timeout = new AbortController();
    const ended = new AbortController();
    const abort = () => timeout.abort();
    aborting.signal.addEventListener('abort', abort);
    clock.sleep(SEND_TIMEOUT_MS, ended.signal).then(abort, () => {});
    const unanswered = new Promise<SendResult>((resolve) => {
      const end = () => resolve({ outcome: 'ambiguous', error: 'the channel did not answer in time' });
      timeout.signal.addEventListener('abort', () => {
        clock.sleep(CANCELLED_MS, ended.signal).then(end, () => {});
      });
    });
    try {
      return await Promise.race([adapter.send(message, timeout.signal), unanswered]);
    } finally {
      aborting.signal.removeEventListener('abort', abort);
      ended.abort();
    }
  };

  const dispatchDue = async (workspaceId: string): Promise<boolean> => {
    const { kinds, mode } = await store.read(async (tx) => ({
      kinds: await notificationClaims.dueKinds(tx, workspaceId),
      mode: (await workspaces.get(tx, workspaceId))?.mode ?? null,
    }));
    const waits = kinds.map(({ channel }) => waitOf(channels.forChannel(channel, mode)));
    const found = kinds.filter((_, i) => waits[i] === 0);
    const waitMs = Math.min(...waits.filter((wait) => wait > 0));
    const reserved = found
      .map(({ channel, priority }) => {
        const limits = [{ key: `${channel} ${priority}`, max: PER_CHANNEL }];
        return { channel, priority, limits, count: pool.limiter.tryAcquire(limits, PER_CHANNEL) };
      })
      .filter(({ count }) => count > 0);
    const partial = reserved.length < found.length;
    if (partial && reserved.length === 0) return false;
    let progress = false;
    const started = performance.now();
    const claim = () =>
      store.write(async (tx) => {
        await due.clear(tx, workspaceId, 'notifications');
        const entries = reserved.map(({ count, ...kind }) => ({ ...kind, limit: count }));
        const { claimed, settled, skipped } = await notificationClaims.claim(tx, workspaceId, entries, {
          leaseMs: LEASE_MS,
          deduplicates: (channel, mode) => channels.forChannel(channel, mode).deduplicates,
          judge: (tx, due) => maySend(tx, due, content.catalogs),
        });
        progress = settled > 0;
        const more = partial || progress || skipped > 0 || claimed.some((each) => each.length > 0);
        const next = more
          ? tx.now
          : nextLook(tx.now, await notificationClaims.nextDue(tx, workspaceId), waitMs);
        if (next !== undefined) await due.mark(tx, workspaceId, 'notifications', next);
        return claimed;
      });
    await pool.fill(
      reserved,
      claim,
      (claimed) => leases.during(claimed, () => dispatch(claimed, performance.now() - started < CLAIMED_MS)),
      () => worker.wake(),
    );
    // What was held or failed leaves its place to others at once.
    return progress;
  };

  const round = dueRound(platform, 'notifications', dispatchDue);
  const worker = wokenBy(store, 'notifications', repeat('the dispatcher', clock, log, POLL_MS, round));
  return {
    wake: worker.wake,
    // The order matters: a notification that is no longer due belongs to a running job or to the current round.
    idle: async () =>
      !(await store.read((tx) => dueWorkspaces.any(tx, store.workers, 'notifications'))) &&
      pool.size === 0 &&
      worker.idle(),
    // Running sends get time to finish, because the outcome of an aborted one is unknown.
    stop: async () => {
      await worker.stop();
      stopping.abort();
      const drained = new AbortController();
      const timeout = clock.sleep(STOP_TIMEOUT_MS, drained.signal).then(
        () => aborting.abort(),
        () => {},
      );
      await pool.drained();
      drained.abort();
      await timeout;
      await leases.stop();
      await channels.close();
    },
  };
}

/**
 * When to look at a workspace again, Unix ms; undefined if nothing is due. What is due but has to wait for its provider
 * (`waitMs`; Infinity if there is none) is looked at after that.
 */
function nextLook(now: number, nextDue: number | undefined, waitMs: number): number | undefined {
  if (waitMs === Number.POSITIVE_INFINITY) return nextDue;
  return nextDue !== undefined && nextDue > now ? Math.min(nextDue, now + waitMs) : now + waitMs;
}
