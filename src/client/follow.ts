import type { EndpointName } from '../contract/endpoints.ts';
import { HEADERS } from '../contract/headers.ts';
import type { Clock } from '../kit/clock.ts';
import type { Random } from '../kit/random.ts';
import type { Client } from './client.ts';
import { ApiError, TransportError } from './errors.ts';
import { retryAfterMs } from './pacer/answer.ts';
import { decideRetry, retryWait } from './retry-policy.ts';
import { readServerSentEvents, type ServerSentEvent } from './sse.ts';

export interface FollowOptions {
  readonly client: Pick<Client, 'stream'>;
  /** The stream and its query. Default: the live event stream. */
  readonly operation?: EndpointName | undefined;
  readonly query?: Readonly<Record<string, string | undefined>> | undefined;
  readonly clock: Clock;
  readonly random: Random;
  /** Maximum number of consecutive failed attempts to open the stream. */
  readonly maxRetries: number;
  readonly signal: AbortSignal;
  /** The last ID of an earlier stream, which this one continues. */
  readonly lastEventId?: string | undefined;
  /** Called when the stream opens, and when it is lost and will be reopened. */
  readonly onState: (state: 'open' | 'lost') => void;
}

/** In ms: a stream that ends sooner, without an event, counts as a failed attempt. */
const MIN_OPEN_MS = 5000;
/** In ms: a stream that is silent for longer is considered dead. The service sends comments more often. */
const SILENCE_TIMEOUT_MS = 60_000;
/** In ms: bounds of the pause before the stream is reopened, which the service may choose (`retry:`). */
const RECONNECT_MS = { least: 500, most: 60_000 };

/**
 * Follows a stream of events. Reopens a lost stream with `Last-Event-ID`, so that no event is missed. Ends when the
 * signal fires. Throws ApiError if the service refuses, TransportError after the last attempt.
 */
export async function* follow(options: FollowOptions): AsyncGenerator<ServerSentEvent> {
  const { client, clock, signal, onState } = options;
  let lastId = options.lastEventId ?? '';
  let failures = 0;
  let pause: number = RECONNECT_MS.least;
  while (!signal.aborted) {
    const watchdog = new AbortController();
    try {
      const headers: Record<string, string> = lastId === '' ? {} : { 'last-event-id': asHeader(lastId) };
      const stream = await client.stream(options.operation ?? 'streamEvents', {
        headers,
        query: options.query,
        signal: AbortSignal.any([signal, watchdog.signal]),
      });
      const openedAt = clock.now();
      onState('open');
      let hasEvents = false;
      for await (const message of readServerSentEvents(watched(stream, watchdog), lastId)) {
        lastId = message.id;
        pause = Math.min(RECONNECT_MS.most, Math.max(RECONNECT_MS.least, message.retry ?? pause));
        if (message.data === undefined) continue;
        hasEvents = true;
        failures = 0;
        yield message;
      }
      if (hasEvents || clock.now() - openedAt >= MIN_OPEN_MS) failures = 0;
      else
        throw new TransportError(
          'lost',
          true,
          'the service closes the event stream immediately after opening it',
        );
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

/** Encodes text as UTF-8 bytes in a header value. */
const asHeader = (text: string) => String.fromCharCode(...new TextEncoder().encode(text));

/** The pause before the next attempt, in ms; undefined if there is no next attempt. */
function waitAfter(
  error: unknown,
  failures: number,
  { maxRetries, random, clock }: Pick<FollowOptions, 'maxRetries' | 'random' | 'clock'>,
): number | undefined {
  if (error instanceof ApiError) {
    const wait = retryAfterMs(error.headers[HEADERS.retryAfter], clock.now());
    const failure = { kind: 'answered', status: error.status, retryAfterMs: wait } as const;
    const decision = decideRetry(failure, 'always', failures, { maxRetries, idempotent: false }, random);
    return decision.repeat ? decision.waitMs : undefined;
  }
  if (error instanceof TransportError && error.reason === 'answer') return undefined;
  if (error instanceof RangeError) throw new TransportError('answer', true, error.message, error);
  return failures <= maxRetries ? retryWait(failures, undefined, random) : undefined;
}

/** Aborts a stream that is silent for SILENCE_TIMEOUT_MS. */
async function* watched(
  chunks: AsyncIterable<Uint8Array>,
  watchdog: AbortController,
): AsyncGenerator<Uint8Array> {
  let timer = setTimeout(() => watchdog.abort(), SILENCE_TIMEOUT_MS);
  try {
    for await (const chunk of chunks) {
      clearTimeout(timer);
      timer = setTimeout(() => watchdog.abort(), SILENCE_TIMEOUT_MS);
      yield chunk;
    }
  } finally {
    clearTimeout(timer);
  }
}
