import type { Client } from '../../client/client.ts';
import { ApiError, TransportError } from '../../client/errors.ts';
import { retryAfterMs } from '../../client/pacer/answer.ts';
import { decideRetry, retryWait } from '../../client/retry-policy.ts';
import { readServerSentEvents, type ServerSentEvent } from '../../client/sse.ts';
import { HEADERS } from '../../contract/headers.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Random } from '../../kit/random.ts';

export interface FollowOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  /** Most attempts in a row that fail to open the stream. */
  readonly maxRetries: number;
  readonly signal: AbortSignal;
  /** Told when the stream is open, and when it was lost and is opened again. */
  readonly onState: (state: 'open' | 'lost') => void;
}

/** A stream that ends sooner than this and brought no event counts as one that could not be opened, in ms. */
const STILLBORN_MS = 5000;
/** A stream that is silent for this long is taken for dead, in ms: the service sends a comment more often. */
const SILENCE_MS = 60_000;
/** The pause before a stream is opened again, in ms: as long as the service asks for, within these bounds. */
const RECONNECT_MS = { least: 500, most: 60_000 };

/**
 * The live event stream, opened again under `Last-Event-ID` whenever it is cut, so that no event is missed.
 * Ends when the signal fires. Throws ApiError where the service refuses, TransportError after the last attempt.
 */
export async function* follow(options: FollowOptions): AsyncGenerator<ServerSentEvent> {
  const { client, clock, signal, onState } = options;
  let lastId = '';
  let failures = 0;
  let pause: number = RECONNECT_MS.least;
  while (!signal.aborted) {
    const watchdog = new AbortController();
    try {
      const headers: Record<string, string> = lastId === '' ? {} : { 'last-event-id': asHeader(lastId) };
      const stream = await client.stream('streamEvents', {
        headers,
        signal: AbortSignal.any([signal, watchdog.signal]),
      });
      const openedAt = clock.now();
      onState('open');
      let alive = false;
      for await (const message of readServerSentEvents(watched(stream, watchdog), lastId)) {
        lastId = message.id;
        pause = Math.min(RECONNECT_MS.most, Math.max(RECONNECT_MS.least, message.retry ?? pause));
        if (message.data === undefined) continue;
        alive = true;
        failures = 0;
        yield message;
      }
      if (alive || clock.now() - openedAt >= STILLBORN_MS) failures = 0;
      else throw new TransportError('lost', true, 'the service ends the event stream as soon as it is open');
    } catch (error) {
      if (signal.aborted) return;
      const wait = waitAfter(error, ++failures, options);
      if (wait === undefined) throw error;
      onState('lost');
      await clock.sleep(wait, signal).catch(() => undefined);
      continue;
    } finally {
      watchdog.abort();
    }
    if (signal.aborted) return;
    onState('lost');
    await clock.sleep(pause, signal).catch(() => undefined);
  }
}

/** Text as the UTF-8 that a header takes. */
const asHeader = (text: string) => Buffer.from(text).toString('latin1');

/** The wait before another attempt, in ms; undefined where there is none. */
function waitAfter(
  error: unknown,
  failures: number,
  { maxRetries, random, clock }: Pick<FollowOptions, 'maxRetries' | 'random' | 'clock'>,
): number | undefined {
  if (error instanceof ApiError) {
    const wait = retryAfterMs(error.headers[HEADERS.retryAfter], clock.now());
    const failure = { kind: 'answered', status: error.status, retryAfterMs: wait } as const;
    const decision = decideRetry(failure, 'always', failures, { maxRetries, keysHonoured: false }, random);
    return decision.repeat ? decision.waitMs : undefined;
  }
  if (error instanceof TransportError && error.reason === 'answer') return undefined;
  if (error instanceof RangeError) throw new TransportError('answer', true, error.message, error);
  return failures <= maxRetries ? retryWait(failures, undefined, random) : undefined;
}

/** Cuts a stream that says nothing for SILENCE_MS. */
async function* watched(chunks: AsyncIterable<Buffer>, watchdog: AbortController): AsyncGenerator<Buffer> {
  let timer = setTimeout(() => watchdog.abort(), SILENCE_MS);
  try {
    for await (const chunk of chunks) {
      clearTimeout(timer);
      timer = setTimeout(() => watchdog.abort(), SILENCE_MS);
      yield chunk;
    }
  } finally {
    clearTimeout(timer);
  }
}
