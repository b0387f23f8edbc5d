import { setMaxListeners } from 'node:events';
import type { ChannelAdapter, ChannelMessage, SendResult } from '../channels/channel.ts';
import { compose } from '../channels/compose.ts';
import type { Channels } from '../channels/settings.ts';
import { variablesAssociatedData } from '../crypto/associated-data.ts';
import type { ServiceDeps } from '../runtime/deps.ts';
import {
  type ClaimedNotification,
  type DispatchResult,
  notifications,
} from '../store/repositories/notifications.ts';
import { users } from '../store/repositories/users.ts';
import { KeyedConcurrency } from './keyed-concurrency.ts';
import { keepLeases, LEASE_MS } from './leases.ts';
import { writeDown } from './record-result.ts';
import { repeat, type Worker } from './worker.ts';

/** Notifications of one channel under way at a time. */
const WIDTH = 8;
const LOOK_MS = 1000;
/** Longest that a channel may take over one notification. */
const HAND_OVER_MS = 45_000;
/** How long a stop waits for hand-overs under way. */
const STOP_MS = 2000;

/** Hands due notifications to their channels; each channel has its own lane. */
export function startDispatcher(deps: ServiceDeps, channels: Channels): Worker {
  const { store, clock, log, random, cipher } = deps;
  const lanes = new KeyedConcurrency(WIDTH);
  const leases = keepLeases<ClaimedNotification>(deps, (tx, held) => notifications.renew(tx, held, LEASE_MS));
  const stopping = new AbortController();
  const giveUp = new AbortController();
  setMaxListeners(0, giveUp.signal);

  const handOver = async (claimed: ClaimedNotification): Promise<void> => {
    try {
      if (stopping.signal.aborted) {
        await store.write((tx) => notifications.release(tx, claimed));
        return;
      }
      const adapter = channels.forChannel(claimed.channel);
      const composed = await messageOf(claimed);
      const result: DispatchResult = composed.ok
        ? verdict(await withDeadline(adapter, composed.message), adapter.dropsRepeats)
        : { event: 'fail', failure: composed.failure };
      await writeDown(deps, giveUp.signal, (tx) => notifications.finish(tx, claimed, result, random()));
    } catch (error) {
      // The lease runs out, and the next worker decides whether a repeat is safe.
      log('error', 'a notification was not written down', {
        notificationId: claimed.notificationId,
        reason: error instanceof Error ? error.message : String(error),
      });
    }
  };

  /** Joins the personal fields: the only place where they meet a template. */
  const messageOf = async (claimed: ClaimedNotification) => {
    const { workspaceId, hashId, templateId } = claimed;
    const template = deps.catalog().templates.get(templateId);
    if (!template) return { ok: false, failure: 'the template is no longer in the catalogue' } as const;
    const [personal, known] = await store.read(
      async (tx) =>
        [
          await users.personal(tx, cipher, workspaceId, hashId),
          await users.find(tx, cipher, workspaceId, hashId),
        ] as const,
    );
    if (!personal || !known) return { ok: false, failure: 'the user is no longer known' } as const;
    const variables = JSON.parse(
      cipher.open(claimed.variables, variablesAssociatedData(claimed.notificationId)),
    );
    const { email } = known.traits;
    return compose({
      ...claimed,
      earlierTries: claimed.tries,
      template,
      variables,
      personal,
      email: typeof email === 'string' ? email : undefined,
    });
  };

  /** A channel that does not answer in time, or before the service has to stop, leaves everybody in doubt. */
  const withDeadline = async (adapter: ChannelAdapter, message: ChannelMessage): Promise<SendResult> => {
    const late = new AbortController();
    const cutOff = () => late.abort();
    giveUp.signal.addEventListener('abort', cutOff);
    clock.sleep(HAND_OVER_MS, late.signal).then(cutOff, () => {});
    const unanswered = new Promise<SendResult>((resolve) => {
      late.signal.addEventListener('abort', () =>
        resolve({ outcome: 'unknown', error: 'the channel did not answer in time' }),
      );
    });
    try {
      return await Promise.race([adapter.send(message, late.signal), unanswered]);
    } finally {
      giveUp.signal.removeEventListener('abort', cutOff);
      late.abort();
    }
  };

  const round = async (): Promise<boolean> => {
    const due = await store.read((tx) => notifications.dueLanes(tx));
    const open = due
      .map((channel) => ({ channel, room: lanes.room(channel) }))
      .filter(({ room }) => room > 0);
    if (open.length === 0) return false;
    const claims = await store.write(async (tx) => {
      const taken: ClaimedNotification[] = [];
      for (const { channel, room } of open)
        taken.push(
          ...(await notifications.claim(tx, channel, room, {
            leaseMs: LEASE_MS,
            channelDropsRepeats: channels.forChannel(channel).dropsRepeats,
          })),
        );
      return taken;
    });
    for (const claimed of claims)
      lanes.run(claimed.channel, () => leases.during(claimed, () => handOver(claimed)), worker.wake);
    return false;
  };

  const worker = repeat('the dispatcher', clock, log, LOOK_MS, round);
  const unsubscribe = store.subscribe('notifications', () => worker.wake());
  return {
    wake: worker.wake,
    // In this order: what is no longer due was taken up, and then the round or a lane is still at it.
    idle: async () =>
      (await store.read((tx) => notifications.dueLanes(tx))).length === 0 && !lanes.busy && worker.idle(),
    // A hand-over under way gets time to finish: cutting it off leaves it in doubt.
    stop: async () => {
      unsubscribe();
      await worker.stop();
      stopping.abort();
      const drained = new AbortController();
      const patience = clock.sleep(STOP_MS, drained.signal).then(
        () => giveUp.abort(),
        () => {},
      );
      await lanes.drained();
      drained.abort();
      await patience;
      await leases.stop();
      await channels.close();
    },
  };
}

/** What a hand-over means: one in doubt is repeated only where the channel drops repeats. */
function verdict(result: SendResult, dropsRepeats: boolean): DispatchResult {
  switch (result.outcome) {
    case 'taken':
      return { event: 'deliver' };
    case 'later':
      return { event: 'retry', failure: result.error };
    case 'refused':
      return { event: 'fail', failure: result.error };
    case 'unknown':
      return dropsRepeats
        ? { event: 'retry', failure: result.error }
        : { event: 'fail', failure: `${result.error}; whether it was sent is not known` };
  }
}
