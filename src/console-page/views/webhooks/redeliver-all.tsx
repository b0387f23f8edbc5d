import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { call } from '../../data/api.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { counted } from '../../parts/numbers.ts';
import type { Delivery } from './webhook-words.ts';

/** Most deliveries that are sent again by one press. */
const MOST = 100;

/**
 * Sends the deliveries that are listed again, at most 100, after a confirmation. It stops at the first refusal, and goes on
 * from there if it is confirmed once more; closing the dialog stops it too.
 */
export function RedeliverAll({
  deliveries,
  done,
}: {
  deliveries: readonly Delivery[];
  done: () => void;
}): VNode {
  const [chosen, setChosen] = useState<readonly Delivery[]>();
  const [queued, setQueued] = useState(0);
  const stopped = useRef(false);
  const listed = Math.min(deliveries.length, MOST);
  const ask = () => {
    stopped.current = false;
    setQueued(0);
    setChosen(deliveries.slice(0, MOST));
  };
  const run = async (all: readonly Delivery[]) => {
    for (let index = queued; index < all.length && !stopped.current; index++) {
      const { webhookId, deliveryId } = all[index]!;
      await call('redeliver', { params: { id: webhookId, deliveryId } });
      setQueued(index + 1);
    }
    done();
  };
  const close = () => {
    stopped.current = true;
    setChosen(undefined);
    if (queued > 0) done();
  };
  return (
    <>
      <button type="button" onClick={ask}>
        Deliver {counted(listed, 'listed delivery', 'listed deliveries')} again
      </button>
      {chosen && (
        <Confirm
          title={`Deliver ${counted(chosen.length, 'delivery', 'deliveries')} again?`}
          verb={`Deliver ${chosen.length - queued} again`}
          run={() => run(chosen)}
          close={close}
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
