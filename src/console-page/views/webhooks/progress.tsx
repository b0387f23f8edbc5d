import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { followEvery } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { type Resource, useResource } from '../../data/resource.ts';
import { Bar } from '../../parts/bars.tsx';
import { count, counted } from '../../parts/numbers.ts';
import { Failure } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import type { Delivery, Webhook } from './webhook-words.ts';

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
        /** Those without an attempt since. */
        readonly left: number;
        /** Those of which an attempt failed, and the next one is to come. */
        readonly retried: number;
        /** Those that were given up since; undefined before any failed, and where there are too many to tell. */
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
          const [webhook, { deliveries, more }] = await Promise.all([
            call('getWebhook', { params: { id }, signal }),
            pendingOf(id, of!.at, signal),
          ]);
          const queued = queuedOf(of!.what, webhook, announced);
          const listed = deliveries.length;
          const waits = more ? Math.max(webhook.pending ?? 0, listed) : listed;
          const nextAt = deliveries.flatMap(({ nextAttemptAt }) => nextAttemptAt ?? []);
          const tried = deliveries.filter((each) => isTried(each, of!.at)).length;
          // More may wait than when it was asked for.
          const total = Math.max(queued.total + waited, tried);
          const left = Math.min(total - tried, queued.left + waits - tried);
          return { total, waits, left, retried: tried, queuesAll: queued.all, nextAt, webhook };
        }),
      );
      const sum = (of: 'total' | 'waits' | 'left' | 'retried') => all.reduce((n, each) => n + each[of], 0);
      const isOver = all.every(({ queuesAll, waits }) => queuesAll && waits === 0);
      const retried = sum('retried');
      const failed = isOver || retried > 0 ? await failedOf(of!, signal) : undefined;
      if (isOver) setEnded({ of: of!, at: Date.now() });
      // What the page shows is read with it, so that both tell the same.
      read();
      return {
        total: sum('total'),
        left: sum('left'),
        retried,
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

/** Pages of what waits that are read each time. */
const MOST_PAGES = 10;

/** The deliveries that wait of what was asked for, and whether there are more. */
async function pendingOf(id: string, until: string, signal: AbortSignal) {
  const deliveries: Delivery[] = [];
  let after: string | undefined;
  for (let pages = 0; pages === 0 || (after && pages < MOST_PAGES); pages++) {
    const query = { status: 'pending', until, after };
    const page = await call('listDeliveries', { params: { id }, query, signal });
    deliveries.push(...page.deliveries);
    after = page.next;
  }
  return { deliveries, more: after !== undefined };
}

/** True if a delivery was attempted after a time. */
const isTried = ({ attempts }: Delivery, at: string) => (attempts.at(-1)?.at ?? '') > at;

/** How many of the deliveries that were asked for have failed since; undefined where a page does not hold all that may have. */
async function failedOf({ to, at }: Sending, signal: AbortSignal): Promise<number | undefined> {
  const query = { status: 'failed', until: at };
  const pages = await Promise.all(
    to.map(({ id }) => call('listDeliveries', { params: { id }, query, signal })),
  );
  if (pages.some(({ next }) => next)) return undefined;
  return pages.flatMap(({ deliveries }) => deliveries).filter((each) => isTried(each, at)).length;
}

/** How many of the deliveries that were asked for were sent and, at the end, arrived. */
export function Progress({ of, close }: { of: Going; close: () => void }): VNode {
  const { value, error, reload, overAt } = of;
  if (error && !value) return <Failure error={error} retry={reload} />;
  const { total, left, retried, failed = 0, nextAt } = value ?? { total: 0, left: 0, retried: 0 };
  const isOver = overAt !== undefined;
  const sent = `${count(total - left)} of ${count(total)}`;
  const failures = retried + failed;
  const arrived = total - left - failures;
  return (
    <p class="redelivery" role="status">
      {value && (
        <>
          <Bar
            value={arrived}
            max={total}
            label={
              failures > 0
                ? `${isOver ? 'Done' : `${sent} sent`}: ${count(arrived)} arrived, ${count(failures)} failed`
                : `${isOver ? 'Done: ' : ''}${sent} ${isOver && value.failed === 0 ? 'arrived' : 'sent'}`
            }
            strong
          />
          <span class="note">
            {isOver ? (
              <>
                at <Time at={overAt} />
              </>
            ) : (
              left + retried > 0 && (
                <>
                  {left > 0
                    ? counted(left, 'waits', 'wait')
                    : retried === 1
                      ? 'it is tried again'
                      : 'they are tried again'}
                  {nextAt !== undefined && Date.parse(nextAt) > Date.now() && (
                    <>
                      {left > 0 && ', the next attempt comes'} at <Time at={nextAt} />
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
