import { orUnsupportedOperation } from '../../cli/errors/unsupported-operation.ts';
import type { Answer, Client } from '../../client/client.ts';
import type { Clock } from '../../kit/clock.ts';
import { objectOf } from '../../kit/object-of.ts';

/** A state change of a notification. */
interface StateChange {
  readonly status: string;
  readonly at: string | undefined;
  /** Why it is held, or how it is known to be delivered; undefined if the service does not say. */
  readonly reason?: string | undefined;
}

export interface FollowOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly id: string;
  /** In milliseconds; undefined waits without a limit. */
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal;
  /** Ends once the notification is held until a time that the service names. */
  readonly untilHeld?: boolean;
  readonly onStateChange?: (change: StateChange) => void;
}

export type Followed =
  | { readonly end: 'delivered' | 'failed' | 'cancelled' | 'held'; readonly answer: Answer }
  | { readonly end: 'timeout' | 'interrupted'; readonly answer: Answer | undefined };

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 3000;

/**
 * Polls a delivery record, at increasing intervals, until the notification is delivered, failed or cancelled. Reports each state
 * change once, in order. Throws `not_found`, `not_offered`, or the error of the call.
 */
export async function followNotification(options: FollowOptions): Promise<Followed> {
  const { client, clock, id, timeoutMs, signal, untilHeld = false, onStateChange } = options;
  const until = timeoutMs === undefined ? Number.POSITIVE_INFINITY : clock.now() + timeoutMs;
  let reported = 0;
  let answer: Answer | undefined;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, MAX_PAUSE_MS)) {
    if (signal.aborted) return { end: 'interrupted', answer };
    answer = await orUnsupportedOperation(
      `show the notification ${id}`,
      'check the identifier that `svc notifications trigger` printed; not every service keeps delivery records',
      client.call('getNotification', { params: { id }, signal }),
    );
    const changes = stateChanges(answer.body);
    for (const change of changes.slice(reported)) onStateChange?.(change);
    reported = Math.max(reported, changes.length);
    const status = changes.at(-1)?.status;
    if (status === 'delivered' || status === 'failed' || status === 'cancelled')
      return { end: status, answer };
    if (untilHeld && status === 'held' && typeof objectOf(answer.body).heldUntil === 'string')
      return { end: 'held', answer };
    const left = until - clock.now();
    if (left <= 0) return { end: 'timeout', answer };
    await clock.sleep(Math.min(pause, left), signal).catch(() => {});
  }
}

/** The history of a record, or its status if it has no history. */
function stateChanges(body: unknown): StateChange[] {
  if (typeof body !== 'object' || body === null) return [];
  const { history, status } = body as Record<string, unknown>;
  const changes = (Array.isArray(history) ? history : []).flatMap((entry): StateChange[] =>
    typeof entry?.status === 'string'
      ? [
          {
            status: entry.status,
            at: typeof entry.at === 'string' ? entry.at : undefined,
            reason: typeof entry.reason === 'string' ? entry.reason : undefined,
          },
        ]
      : [],
  );
  if (typeof status === 'string' && changes.at(-1)?.status !== status)
    changes.push({ status, at: undefined });
  return changes;
}
