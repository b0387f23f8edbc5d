import type { VNode } from 'preact';
import { call } from '../../data/api.ts';
import { needsPerson, type Receiving, receivingOf } from '../../data/receivers.ts';
import { count, counted } from '../../parts/numbers.ts';
import { Id } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { MOST_URL } from './items.tsx';
import type { Attempted } from './overview.ts';

/** A subscription whose attempts fail, and what its latest ones say. */
interface Receiver {
  readonly webhookId: string;
  readonly url: string;
  readonly state: Receiving;
  /** The first failed attempt since one succeeded. */
  readonly failingSince: string | undefined;
  readonly pending: number;
  /** How its attempts of the last hour went; undefined where there was none. */
  readonly lastHour: Attempted | undefined;
}

/** Reads what became of a receiver; undefined where it needs nobody any more: all arrived, or it is disabled. */
export async function readReceiver(
  webhookId: string,
  lastHour: Attempted | undefined,
  signal: AbortSignal,
): Promise<Receiver | undefined> {
  const webhook = await call('getWebhook', { params: { id: webhookId }, signal });
  const { url, failingSince, pending = 0 } = webhook;
  const state = receivingOf(webhook);
  return state === 'disabled' || (state === 'answers' && pending === 0)
    ? undefined
    : { webhookId, url, state, failingSince, pending, lastHour };
}

/** How a receiver is by its latest attempts, and how many of the last hour failed. */
export function ReceiverState({ of }: { of: Receiver }): VNode {
  const { url, state, failingSince, pending, lastHour } = of;
  const waits =
    state === 'given up'
      ? 'all were given up'
      : `${counted(pending, 'delivery waits', 'deliveries wait')} for the next attempt`;
  const failed =
    lastHour &&
    `: ${count(lastHour.attempts - lastHour.delivered)} of the ${counted(lastHour.attempts, 'attempt')} of the last hour failed`;
  return (
    <>
      {needsPerson(state) ? (
        <>
          Every attempt at <Id of={url} short={MOST_URL} /> has failed since <Time at={failingSince!} />, and{' '}
          {waits}
        </>
      ) : (
        <>
          <Id of={url} short={MOST_URL} />{' '}
          {state === 'answers' ? 'answers again' : 'failed at the latest attempt'}, and {waits}
        </>
      )}
      {failed}.
    </>
  );
}
