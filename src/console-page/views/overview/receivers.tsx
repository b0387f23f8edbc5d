import type { VNode } from 'preact';
import { call } from '../../data/api.ts';
import { count, counted } from '../../parts/numbers.ts';
import { Id } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { MOST_URL } from './items.tsx';
import type { Attempted } from './overview.ts';

/** A subscription of which attempts failed in the last hour, and what its latest ones say. */
interface Receiver extends Attempted {
  readonly url: string;
  /** Since when no attempt succeeded; undefined once one did. */
  readonly failingSince: string | undefined;
  readonly pending: number;
}

/** Reads what became of a receiver; undefined where it needs nobody any more: all arrived, or it is disabled. */
export async function readReceiver(went: Attempted, signal: AbortSignal): Promise<Receiver | undefined> {
  const params = { id: went.webhookId };
  const { url, status, failingSince, pending = 0 } = await call('getWebhook', { params, signal });
  const isWell = failingSince === undefined && pending === 0;
  return isWell || status !== 'active' ? undefined : { ...went, url, failingSince, pending };
}

/** How a receiver is by its latest attempts, and how many of the last hour failed. */
export function ReceiverState({ of }: { of: Receiver }): VNode {
  const { url, failingSince, pending, attempts, delivered } = of;
  const waits = `${counted(pending, 'delivery waits', 'deliveries wait')} for the next attempt`;
  return (
    <>
      {failingSince === undefined ? (
        <>
          <Id of={url} short={MOST_URL} /> answers again, and {waits}
        </>
      ) : (
        <>
          No attempt at <Id of={url} short={MOST_URL} /> succeeded since <Time at={failingSince} />, and{' '}
          {waits}
        </>
      )}
      : {count(attempts - delivered)} of the {counted(attempts, 'attempt')} of the last hour failed.
    </>
  );
}
