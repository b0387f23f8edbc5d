import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../data/api.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { counted } from '../../parts/numbers.ts';
import type { Delivery } from './webhook-words.ts';

/** Most deliveries that are sent again by one press. */
const MOST = 100;

/** Sends the deliveries that are listed again, at most 100, after a confirmation; it stops at the first refusal. */
export function RedeliverAll({
  deliveries,
  done,
}: {
  deliveries: readonly Delivery[];
  done: () => void;
}): VNode {
  const [asking, setAsking] = useState(false);
  const [queued, setQueued] = useState(0);
  const chosen = deliveries.slice(0, MOST);
  const run = async () => {
    setQueued(0);
    for (const [index, { webhookId, deliveryId }] of chosen.entries()) {
      await call('redeliver', { params: { id: webhookId, deliveryId } });
      setQueued(index + 1);
    }
    done();
  };
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        Deliver {counted(chosen.length, 'listed delivery', 'listed deliveries')} again
      </button>
      {asking && (
        <Confirm
          title={`Deliver ${counted(chosen.length, 'delivery', 'deliveries')} again?`}
          verb={`Deliver ${chosen.length} again`}
          run={run}
          close={() => setAsking(false)}
        >
          <p>
            Each is sent once more with the same bytes and identifier, the latest first.
            {deliveries.length > MOST && ` ${deliveries.length} are listed; one press sends at most ${MOST}.`}
          </p>
          <p role="status">{queued > 0 && `${queued} of ${chosen.length} queued`}</p>
        </Confirm>
      )}
    </>
  );
}
