import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { followEvery } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { useResource } from '../../data/resource.ts';
import { Bar } from '../../parts/bars.tsx';
import { count, counted } from '../../parts/numbers.ts';
import { Failure } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import type { Webhook } from './webhook-words.ts';

/** Deliveries that a person asked for. */
export interface Sending {
  /** What was given up, or what a subscription missed. */
  readonly what: 'again' | 'missed';
  /** When it was asked for: what happens later is not part of it. */
  readonly at: string;
  readonly to: readonly {
    readonly id: string;
    /** How many deliveries were announced, and how many waited already. */
    readonly announced: number;
    readonly waited: number;
  }[];
}

/** How many of the deliveries that were asked for were sent; it ends once none of them waits. */
export function Progress({ of, ended }: { of: Sending; ended: () => void }): VNode {
  const [overAt, setOverAt] = useState<number>();
  const { value, error, reload } = useResource(
    of.at,
    async (signal) => {
      const all = await Promise.all(
        of.to.map(async ({ id, announced, waited }) => {
          const query = { status: 'pending', until: of.at };
          const [webhook, page] = await Promise.all([
            call('getWebhook', { params: { id }, signal }),
            call('listDeliveries', { params: { id }, query, signal }),
          ]);
          const queued = queuedOf(of.what, webhook, announced);
          // A page tells no more than that there are more.
          const listed = page.deliveries.length;
          const waits = page.next ? Math.max(webhook.pending ?? 0, listed) : listed;
          const total = queued.total + waited;
          const nextAt = page.deliveries.flatMap(({ nextAttemptAt }) => nextAttemptAt ?? []);
          return { total, waits, left: Math.min(total, queued.left + waits), queuesAll: queued.all, nextAt };
        }),
      );
      const sum = (of: 'total' | 'waits' | 'left') => all.reduce((n, each) => n + each[of], 0);
      if (all.every(({ queuesAll, waits }) => queuesAll && waits === 0)) setOverAt(Date.now());
      return {
        total: sum('total'),
        left: sum('left'),
        nextAt: all.every(({ queuesAll }) => queuesAll)
          ? all.flatMap(({ nextAt }) => nextAt).sort()[0]
          : undefined,
      };
    },
    overAt === undefined ? followEvery() : undefined,
  );
  if (error && !value) return <Failure error={error} retry={reload} />;
  const { total, left, nextAt } = value ?? { total: 0, left: 0, nextAt: undefined };
  const isOver = overAt !== undefined;
  return (
    <p class="redelivery" role="status">
      {value && (
        <>
          <Bar
            value={total - left}
            max={total}
            label={`${isOver ? 'Done: ' : ''}${count(total - left)} of ${count(total)} sent`}
            strong
          />
          <span class="note">
            {isOver ? (
              <>
                at <Time at={overAt} />
              </>
            ) : (
              left > 0 && (
                <>
                  {counted(left, 'waits', 'wait')}
                  {nextAt !== undefined && Date.parse(nextAt) > Date.now() && (
                    <>
                      , the next attempt comes at <Time at={nextAt} />
                    </>
                  )}
                </>
              )
            )}
          </span>
          <button type="button" onClick={ended}>
            {isOver ? 'Done' : 'Hide'}
          </button>
        </>
      )}
    </p>
  );
}

/** How many deliveries are queued in all, how many of them are not yet, and whether all are. */
function queuedOf(what: Sending['what'], { redelivery, catchingUp }: Webhook, announced: number) {
  const running = what === 'again' ? redelivery?.endedAt === null && redelivery : catchingUp;
  const all = !running || ('allQueued' in running && running.allQueued);
  // Some of what was announced may have come in another way.
  if (all) return { all, total: running ? running.queued : announced, left: 0 };
  const total = Math.max(announced, running.queued);
  return { all, total, left: total - running.queued };
}
