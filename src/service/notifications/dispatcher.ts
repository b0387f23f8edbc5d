import type { Log } from '../platform/log.ts';
import type { Platform } from '../platform/platform.ts';
import { due } from '../platform/store/due.ts';
import type { Tx } from '../platform/store/store.ts';
import { type Mode, workspaces } from '../platform/store/workspaces.ts';
import { Jobs, LEASE_MS, recordResult } from '../platform/workers/jobs.ts';
import { type Worker, worker } from '../platform/workers/worker.ts';
import { maySend } from './may-send.ts';
import { attemptNotification, type SentContent } from './notification-attempt.ts';
import type { ChannelAdapter, ChannelMessage, SendResult } from './providers/channel.ts';
import type { Channels } from './providers/settings.ts';
import { failingProviders } from './store/failing-providers.ts';
import { notificationClaims } from './store/notification-claims.ts';
import { type ClaimedNotification, notificationClaim } from './store/notification-rows.ts';
import { notifications } from './store/notifications.ts';
import { providedChannels, REMEMBERED_MS, SEEN_MS } from './store/provided-channels.ts';

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
/** After how long a node with a provider counts as missed, in ms. */
const MISSED_MS = 3 * SEEN_MS;
/** How long `stop` waits for running sends before it aborts them. */
const STOP_TIMEOUT_MS = 2000;

/** Sends due notifications through their channels, with a concurrency limit per channel. */
export function startDispatcher(platform: Platform, channels: Channels, content: SentContent): Worker {
  const { store, clock, log, random } = platform;
  /** Until when a provider that had too many requests is left alone, in time of the clock. */
  const throttled = new Map<ChannelAdapter, number>();
  const backOff = (adapter: ChannelAdapter, ms: number) => {
    throttled.set(adapter, Math.max(throttled.get(adapter) ?? 0, clock.now() + ms));
    clock.sleep(ms, jobs.stopping).then(
      () => dispatcher.wake(),
      () => {},
    );
  };
  const waitOf = (adapter: ChannelAdapter) => Math.max(0, (throttled.get(adapter) ?? 0) - clock.now());

  /** When each line was last logged, in time of the clock: without a limit, every notification would have one. */
  const reported = new Map<string, number>();
  const report = (level: Parameters<Log>[0], message: string, fields: Record<string, string>) => {
    const key = `${message}\n${Object.values(fields).join('\n')}`;
    const at = clock.now();
    if (at - (reported.get(key) ?? Number.NEGATIVE_INFINITY) < REPORT_MS) return;
    if (reported.size >= MAX_REPORTED) reported.clear();
    reported.set(key, at);
    log(level, message, fields);
  };

  const dispatch = async (claimed: ClaimedNotification): Promise<void> => {
    const adapter = channels.forChannel(claimed.channel, claimed.mode);
    const attempt = await attemptNotification(platform, content, claimed, adapter, (message) =>
      sendWithTimeout(adapter, message),
    );
    if (attempt.throttledMs !== undefined) backOff(adapter, attempt.throttledMs);
    if (attempt.result.event === 'retry' && !jobs.stopping.aborted)
      report('warn', 'a provider did not take a notification, which is sent again later', {
        provider: adapter.name,
        reason: attempt.result.failure,
      });
    await recordResult(platform, jobs.aborting, async (tx) => {
      await notifications.finish(tx, claimed, attempt.result, random());
      await attempt.store(tx);
      const of = { channel: claimed.channel, provider: adapter.name.replace(/^provider /, '') };
      // What ends with the service says nothing of the provider.
      if (!jobs.stopping.aborted) await failingProviders.note(tx, claimed.workspaceId, of, attempt.result);
    });
  };

  const jobs = new Jobs<ClaimedNotification>(platform, {
    what: 'sending a notification',
    fields: ({ notificationId }) => ({ notificationId }),
    renew: (tx, held) => notificationClaim.renew(tx, held, LEASE_MS),
    release: notifications.release,
    run: dispatch,
    // Running sends get time to finish, because the outcome of an aborted one is unknown.
    graceMs: STOP_TIMEOUT_MS,
  });

  /**
   * Cancels a send that takes too long, or longer than the service may take to stop. The channel then says what became of
   * it: a message of which nothing was written is sent later. If it does not say, the outcome is unknown.
   */
  const sendWithTimeout = async (adapter: ChannelAdapter, message: ChannelMessage): Promise<SendResult> => {
    if (jobs.aborting.aborted) return { outcome: 'retryable', error: 'the service stops' };
    const timeout = new AbortController();
    const ended = new AbortController();
    const abort = () => timeout.abort();
    jobs.aborting.addEventListener('abort', abort);
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
      jobs.aborting.removeEventListener('abort', abort);
      ended.abort();
    }
  };

  /**
   * Whether another node sends what a channel of a live workspace would only write to the outbox here: delivered is not
   * what nobody has sent.
   */
  const isElsewhere = async (tx: Tx, channel: string, mode: Mode): Promise<boolean> => {
    if (mode === 'test' || !channels.forChannel(channel, mode).isOutbox) return false;
    const seen = await providedChannels.lastSeen(tx, channel);
    if (seen === undefined) return false;
    if (tx.now - seen < MISSED_MS)
      report('info', 'notifications are left to a node that has a provider for their channel', { channel });
    else
      report('warn', 'notifications wait for a node that has a provider for their channel', {
        channel,
        lastSeen: new Date(seen).toISOString(),
        outboxFrom: new Date(seen + REMEMBERED_MS).toISOString(),
      });
    return true;
  };

  const dispatchDue = async (workspaceId: string): Promise<boolean> => {
    const {
      due: all,
      kinds,
      mode,
    } = await store.read(async (tx) => {
      const due = await notificationClaims.dueKinds(tx, workspaceId);
      const { mode } = (await workspaces.get(tx, workspaceId))!;
      const kinds: typeof due = [];
      for (const kind of due) if (!(await isElsewhere(tx, kind.channel, mode))) kinds.push(kind);
      return { due, kinds, mode };
    });
    const waits = kinds.map(({ channel }) => waitOf(channels.forChannel(channel, mode)));
    const found = kinds.filter((_, i) => waits[i] === 0);
    const waitMs = Math.min(...waits.filter((wait) => wait > 0));
    const reserved = found
      .map(({ channel, priority }) => {
        const limits = [{ key: `${channel} ${priority}`, max: PER_CHANNEL }];
        return { channel, priority, limits, count: jobs.limiter.tryAcquire(limits, PER_CHANNEL) };
      })
      .filter(({ count }) => count > 0);
    const partial = reserved.length < found.length || kinds.length < all.length;
    if (partial && reserved.length === 0) return false;
    let progress = false;
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
    await jobs.fill(reserved, claim, () => dispatcher.wake());
    // What was held or failed leaves its place to others at once.
    return progress;
  };

  const dispatcher = worker(platform, {
    name: 'the dispatcher',
    lane: 'notifications',
    topics: ['notifications'],
    pause: POLL_MS,
    jobs,
    work: dispatchDue,
    close: () => channels.close(),
  });
  return dispatcher;
}

/**
 * When to look at a workspace again, Unix ms; undefined if nothing is due. What is due but has to wait for its provider
 * (`waitMs`; Infinity if there is none) is looked at after that.
 */
function nextLook(now: number, nextDue: number | undefined, waitMs: number): number | undefined {
  if (waitMs === Number.POSITIVE_INFINITY) return nextDue;
  return nextDue !== undefined && nextDue > now ? Math.min(nextDue, now + waitMs) : now + waitMs;
}
