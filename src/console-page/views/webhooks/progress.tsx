import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { followEvery } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { type Resource, useResource } from '../../data/resource.ts';
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

/** So many missed outcomes are counted; there may be more. */
const COUNTED = 100_000;

/** How far it is with deliveries that were asked for. */
export interface Going extends Pick<Resource<unknown>, 'error' | 'reload'> {
  readonly value:
    | {
        readonly total: number;
        readonly left: number;
        /** Those of which the last attempt failed; undefined before the end, and where there are too many to tell. */
        readonly failed: number | undefined;
        readonly nextAt: string | undefined;
        /** The subscriptions, as they were then. */
        readonly webhooks: readonly Webhook[];
      }
    | undefined;
  /** When none of them waited any more, Unix ms. */
  readonly overAt: number | undefined;
}

/** Reads again and again how many of the deliveries that were asked for were sent, until none of them waits; `read` is called each time. */
export function useSending(of: Sending | undefined, read: () => void): Going {
  const [ended, setEnded] = useState<{ readonly of: Sending; readonly at: number }>();
  const overAt = ended !== undefined && ended.of === of ? ended.at : undefined;
  const { value, error, reload } = useResource(
    of?.at,
    async (signal) => {
      const all = await Promise.all(
        of!.to.map(async ({ id, announced, waited }) => {
          const query = { status: 'pending', until: of!.at };
          const [webhook, page] = await Promise.all([
            call('getWebhook', { params: { id }, signal }),
            call('listDeliveries', { params: { id }, query, signal }),
          ]);
          const queued = queuedOf(of!.what, webhook, announced);
          // A page tells no more than that there are more.
          const listed = page.deliveries.length;
          const waits = page.next ? Math.max(webhook.pending ?? 0, listed) : listed;
          const total = queued.total + waited;
          const nextAt = page.deliveries.flatMap(({ nextAttemptAt }) => nextAttemptAt ?? []);
          const left = Math.min(total, queued.left + waits);
          return { total, waits, left, queuesAll: queued.all, nextAt, webhook };
        }),
      );
      const sum = (of: 'total' | 'waits' | 'left') => all.reduce((n, each) => n + each[of], 0);
      const isOver = all.every(({ queuesAll, waits }) => queuesAll && waits === 0);
      const failed = isOver ? await failedOf(of!, signal) : undefined;
      if (isOver) setEnded({ of: of!, at: Date.now() });
      // What the page shows is read with it, so that both tell the same.
      read();
      return {
        total: sum('total'),
        left: sum('left'),
        failed,
        nextAt: all.every(({ queuesAll }) => queuesAll)
          ? all.flatMap(({ nextAt }) => nextAt).sort()[0]
          : undefined,
        webhooks: all.map(({ webhook }) => webhook),
      };
    },
    overAt === undefined ? followEvery() : undefined,
  );
  return { value, error, reload, overAt };
}

/** How many of the deliveries that were asked for have failed since; undefined where a page does not hold all that may have. */
async function failedOf({ to, at }: Sending, signal: AbortSignal): Promise<number | undefined> {
  const query = { status: 'failed', until: at };
  const pages = await Promise.all(
    to.map(({ id }) => call('listDeliveries', { params: { id }, query, signal })),
  );
  if (pages.some(({ next }) => next)) return undefined;
  return pages.flatMap(({ deliveries }) => deliveries).filter((each) => (each.attempts.at(-1)?.at ?? '') > at)
    .length;
}

/** How many of the deliveries that were asked for were sent and, at the end, arrived. */
export function Progress({ of, close }: { of: Going; close: () => void }): VNode {
  const { value, error, reload, overAt } = of;
  if (error && !value) return <Failure error={error} retry={reload} />;
  const { total, left, failed, nextAt } = value ?? { total: 0, left: 0 };
  const arrived = `${count(total - (failed ?? 0))}${failed ? '' : ` of ${count(total)}`} arrived`;
  const isOver = overAt !== undefined;
  return (
    <p class="redelivery" role="status">
      {value && (
        <>
          <Bar
            value={total - left}
            max={total}
            label={
              failed === undefined
                ? `${isOver ? 'Done: ' : ''}${count(total - left)} of ${count(total)} sent`
                : `Done: ${arrived}${failed > 0 ? `, ${count(failed)} failed` : ''}`
            }
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
          <button type="button" onClick={close}>
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
  // Some of what was announced may have come in another way; and what was queued a moment earlier counts as queued, too.
  const isCapped = announced >= COUNTED;
  if (all)
    return {
      all,
      total: running && (isCapped || running.queued < announced) ? running.queued : announced,
      left: 0,
    };
  const total = Math.max(announced, running.queued);
  return { all, total, left: total - running.queued };
}
