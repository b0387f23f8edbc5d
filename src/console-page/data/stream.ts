import { readServerSentEvents } from '../../client/sse.ts';
import { ApiError, type Query, search, send } from './api.ts';

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5000;
/** How long a stream stays open in a tab that nobody sees. */
const HIDDEN_MS = 5000;

export interface StreamHandlers {
  /** A message: its type and its data, parsed. Returns where the stream goes on if it is lost after this message. */
  readonly message: (type: string, data: unknown) => string | undefined;
  /** The stream is open (again), lost for now, closed while the tab is hidden, or ended for good. */
  readonly state: (state: 'open' | 'lost' | 'hidden' | 'ended', error?: Error) => void;
}

/**
 * Reads a stream of server-sent events below `/api`, and takes it up again with `after` where it broke off, until the
 * signal is aborted or the stream is refused (4xx, or 501: not offered). In a hidden tab it is closed meanwhile: a browser opens six
 * connections to one address for all tabs, and the page of a further tab would not load. Never throws.
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
    if (document.hidden) {
      handlers.state('hidden');
      await untilSeen(signal);
    }
    const seen = whileSeen(signal);
    try {
      const answer = await send('GET', `/api${path}${search({ ...query, after })}`, {
        headers: { accept: 'text/event-stream' },
        signal: seen.signal,
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
      if (seen.signal.aborted) continue;
      const ended =
        error instanceof ApiError &&
        ((error.status >= 400 && error.status < 500 && error.status !== 429) || error.status === 501);
      handlers.state(ended ? 'ended' : 'lost', error as Error);
      if (ended) return;
    } finally {
      seen.abort();
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

/** Resolves once the tab can be seen, or the signal is aborted. */
const untilSeen = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const stop = new AbortController();
    const look = () => {
      if (document.hidden && !signal.aborted) return;
      stop.abort();
      resolve();
    };
    document.addEventListener('visibilitychange', look, { signal: stop.signal });
    signal.addEventListener('abort', look, { signal: stop.signal });
    look();
  });

/** Is aborted with the signal, or once the tab has been hidden for HIDDEN_MS. Its owner aborts it in the end. */
function whileSeen(signal: AbortSignal): AbortController {
  const seen = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(() => seen.abort(), HIDDEN_MS);
  };
  document.addEventListener('visibilitychange', look, { signal: seen.signal });
  signal.addEventListener('abort', () => seen.abort(), { signal: seen.signal });
  seen.signal.addEventListener('abort', () => clearTimeout(timer));
  look();
  return seen;
}
