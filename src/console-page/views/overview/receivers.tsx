import type { VNode } from 'preact';
import { call } from '../../data/api.ts';
import { needsPerson, type Receiving, receivingOf, type Went } from '../../data/receivers.ts';
import { counted, percent } from '../../parts/numbers.ts';
import { Id } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { MOST_URL } from './items.tsx';

/** A subscription whose attempts fail, and what its latest ones say. */
interface Receiver {
  readonly webhookId: string;
  readonly url: string;
  readonly state: Receiving;
  /** The first failed attempt since one succeeded. */
  readonly failingSince?: string | undefined;
  readonly pending: number;
}

/** Reads what became of a receiver; undefined where it needs nobody any more: all arrived, or it is disabled. */
export async function readReceiver(webhookId: string, signal: AbortSignal): Promise<Receiver | undefined> {
  const webhook = await call('getWebhook', { params: { id: webhookId }, signal });
  const { url, failingSince, pending = 0 } = webhook;
  const state = receivingOf(webhook);
  return state === 'disabled' || (state === 'answers' && pending === 0)
    ? undefined
    : { webhookId, url, state, failingSince, pending };
}

/** How the attempts at a receiver went in the last 24 hours, the one range of this sentence, and what waits. */
export function ReceiverState({ of, went }: { of: Receiver; went: Went | undefined }): VNode {
  const { url, state, failingSince, pending } = of;
  return (
    <>
      {went?.attempts
        ? `${percent(1 - went.delivered / went.attempts)} of the ${counted(went.attempts, 'attempt')} at `
        : 'Attempts at '}
      <Id of={url} short={MOST_URL} /> in the last 24 hours failed
      {needsPerson(state) && (
        <>
          , all of them since <Time at={failingSince!} />
        </>
      )}
      {state === 'given up'
        ? '; all deliveries were given up'
        : pending > 0 && `; ${counted(pending, 'delivery waits', 'deliveries wait')} for the next attempt`}
      .
    </>
  );
}
