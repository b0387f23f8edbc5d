import type { StoredEvent } from '../../store/events.ts';
import { events } from '../../store/events.ts';
import type { StreamHandler } from '../call.ts';

/** Most events that are read at once. */
const PAGE = 500;
/** How often to look without news: what is settled may change without any (a transaction that came to nothing). */
const LOOK_MS = 1000;
/** How often a comment is sent while nothing happens, so that both sides notice a dead connection, in ms. */
const KEEP_ALIVE_MS = 15_000;

/**
 * The live event stream (WHATWG HTML, Server-sent events): each event with its sequence number as `id`. It begins with
 * an id alone, so that a client that is cut off before the first event still knows where it was; with `Last-Event-ID`
 * it goes on after that event and misses none. Ends when `closing` fires.
 */
export function liveEvents(closing: AbortSignal): StreamHandler {
  return ({ workspace, deps, lastEventId, signal }) => {
    const { store } = deps;
    const ended = AbortSignal.any([closing, signal]);
    const text = new TextEncoder();
    let wake = () => {};
    let news = true;
    const stopListening = store.subscribe('events', () => {
      news = true;
      wake();
    });
    ended.addEventListener('abort', () => wake(), { once: true });
    let position: number | undefined;
    let silent = 0;

    const next = async (): Promise<string | undefined> => {
      if (position === undefined) {
        position = await store.read(async (tx) => {
          const newest = await events.settled(tx);
          const known = /^\d{1,15}$/.test(lastEventId ?? '') ? Number(lastEventId) : newest;
          // A number from before the data was reset: everything there is came after it.
          return known > newest ? 0 : known;
        });
        return `retry: 1000\nid: ${position}\n\n`;
      }
      for (;;) {
        if (ended.aborted) return undefined;
        if (news) {
          news = false;
          const after = position;
          const upTo = await store.read(events.settled);
          const found = await store.read((tx) => events.after(tx, workspace.id, after, upTo, PAGE));
          if (found.length === PAGE) news = true;
          if (found.length > 0) {
            position = found.at(-1)!.seq;
            return found.map(frame).join('');
          }
        }
        if (!(await waitForNews()) && ++silent % (KEEP_ALIVE_MS / LOOK_MS) === 0) return ': keep-alive\n\n';
      }
    };

    /** False when no news came for LOOK_MS; then it is time to look all the same. */
    const waitForNews = () =>
      new Promise<boolean>((resolve) => {
        if (news || ended.aborted) return resolve(true);
        const timer = setTimeout(() => {
          news = true;
          resolve(false);
        }, LOOK_MS);
        wake = () => {
          clearTimeout(timer);
          resolve(true);
        };
      });

    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const chunk = await next().catch((error: Error) => {
            deps.log('error', 'a live event stream failed', { reason: error.message });
            return undefined;
          });
          if (chunk !== undefined) return controller.enqueue(text.encode(chunk));
          stopListening();
          controller.close();
        },
        cancel() {
          stopListening();
          wake();
        },
      },
      { highWaterMark: 0 },
    );
  };
}

function frame(event: StoredEvent): string {
  const { seq, userId, event: name, timestamp, properties, receivedAt } = event;
  const known = JSON.stringify({ userId, event: name, timestamp }).slice(0, -1);
  // As sent, so that big integers survive. Line breaks can only stand between its tokens.
  const sent = properties === null ? '' : `,"properties":${properties.replace(/[\r\n]+/g, ' ')}`;
  const at = new Date(Number(receivedAt)).toISOString();
  return `id: ${seq}\nevent: event\ndata: ${known}${sent},"receivedAt":"${at}"}\n\n`;
}
