import { readServerSentEvents } from '../../client/sse.ts';
import { ApiError, type Query, search, send } from './api.ts';

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5000;

export interface StreamHandlers {
  /** A message: its type and its data, parsed. Returns where the stream goes on if it is lost after this message. */
  readonly message: (type: string, data: unknown) => string | undefined;
  /** The stream is open (again), lost for now, or ended for good. */
  readonly state: (state: 'open' | 'lost' | 'ended', error?: Error) => void;
}

/**
 * Reads a stream of server-sent events below `/api`, and takes it up again with `after` where it broke off, until the
 * signal is aborted or the stream is refused (4xx). Never throws.
 */
export async function follow(
  path: string,
  query: Query,
  handlers: StreamHandlers,
  signal: AbortSignal,
): Promise<void> {
  let after = query.after;
  let wait = FIRST_WAIT_MS;
  while (!signal.aborted) {
    try {
      const answer = await send('GET', `/api${path}${search({ ...query, after })}`, {
        headers: { accept: 'text/event-stream' },
        signal,
      });
      handlers.state('open');
      for await (const { event, data } of readServerSentEvents(chunks(answer.body!))) {
        if (data === undefined) continue;
        after = handlers.message(event, JSON.parse(data)) ?? after;
        wait = FIRST_WAIT_MS;
      }
      if (!signal.aborted) handlers.state('lost');
    } catch (error) {
      if (signal.aborted) return;
      const refused = error instanceof ApiError && error.status >= 400 && error.status < 500;
      const ended = refused && error.status !== 429;
      handlers.state(ended ? 'ended' : 'lost', error as Error);
      if (ended) return;
    }
    await pause(wait, signal);
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  }
}

async function* chunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
