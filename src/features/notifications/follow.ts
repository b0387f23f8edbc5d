import { orUnsupportedOperation } from '../../cli/errors/unsupported-operation.ts';
import type { Answer, Client } from '../../client/client.ts';
import type { Clock } from '../../kit/clock.ts';

/** One move of a notification, as far as an answer tells. */
export interface StateChange {
  readonly status: string;
  readonly at: string | undefined;
}

export interface FollowOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly id: string;
  /** Milliseconds; none waits for ever. */
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal;
  readonly onMove?: (move: StateChange) => void;
}

export type Followed =
  | { readonly end: 'delivered' | 'failed'; readonly answer: Answer }
  | { readonly end: 'timeout' | 'interrupted'; readonly answer: Answer | undefined };

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 3000;

/**
 * Reads a delivery record again and again, ever more slowly, until it is delivered or failed. Reports each move once,
 * in order. Throws `not_found`, `not_offered`, or what the call threw.
 */
export async function followNotification(options: FollowOptions): Promise<Followed> {
  const { client, clock, id, timeoutMs, signal, onMove } = options;
  const until = timeoutMs === undefined ? Number.POSITIVE_INFINITY : clock.now() + timeoutMs;
  let reported = 0;
  let answer: Answer | undefined;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    if (signal.aborted) return { end: 'interrupted', answer };
    answer = await orUnsupportedOperation(
      `show the notification ${id}`,
      'a service that follows the specification alone has no delivery record to read',
      client.call('getNotification', { params: { id }, signal }),
    );
    const moves = movesOf(answer.body);
    for (const move of moves.slice(reported)) onMove?.(move);
    reported = Math.max(reported, moves.length);
    const status = moves.at(-1)?.status;
    if (status === 'delivered' || status === 'failed') return { end: status, answer };
    const left = until - clock.now();
    if (left <= 0) return { end: 'timeout', answer };
    await clock.sleep(Math.min(pause, left), signal).catch(() => {});
  }
}

/** The history of a record, or its bare status where there is none. */
function movesOf(body: unknown): StateChange[] {
  if (typeof body !== 'object' || body === null) return [];
  const { history, status } = body as Record<string, unknown>;
  const moves = (Array.isArray(history) ? history : []).flatMap((entry): StateChange[] =>
    typeof entry?.status === 'string'
      ? [{ status: entry.status, at: typeof entry.at === 'string' ? entry.at : undefined }]
      : [],
  );
  if (typeof status === 'string' && moves.at(-1)?.status !== status) moves.push({ status, at: undefined });
  return moves;
}
