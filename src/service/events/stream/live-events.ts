import type { KeyWatch } from '../../http/access/key-watch.ts';
import type { StreamHandler } from '../../http/endpoint.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Store } from '../../platform/store/store.ts';
import { eventHeads } from '../store/event-heads.ts';
import { events } from '../store/events.ts';
import { ByteBudget } from './byte-budget.ts';
import { disconnect } from './disconnect.ts';
import { ReadingPace } from './reading-pace.ts';
import { SendQueues } from './send-queues.ts';
import { type HeldPage, StreamPages } from './stream-pages.ts';
import {
  type Chunk,
  gap,
  inChunks,
  message,
  type Part,
  type Position,
  type Range,
  withoutBreaks,
  withoutSent,
} from './stream-parts.ts';
import { StreamTurns } from './stream-turns.ts';

/** Poll interval, in case a notification is lost. */
const POLL_MS = 1000;
/** Interval of comments on an idle stream, by which both sides detect a dead connection, in ms. */
const KEEP_ALIVE_MS = 15_000;
/**
 * Bytes read at once of a long event. The database reads the whole event for each range of it, so few large ranges cost
 * least; while the buffers of all streams are full, a small one is read.
 */
const RANGE = 1024 * 1024;
const SMALL_RANGE = 256 * 1024;
/** After how long without a read of the client a stream gives up what it has read of the store, in ms. */
const HOLD_MS = 1000;
/** After how long without a read of the client a stream is ended, in ms; the client can resume. */
const UNREAD_MS = 60_000;
/** Maximum characters that all streams together have read and not yet sent. */
const MAX_BUFFERED = 48 * 1024 * 1024;

/**
 * The live event stream (WHATWG HTML, Server-sent events): each event with its number in the workspace as `id`. It starts with
 * an id without an event, so that a client that is disconnected before the first event knows its position. With
 * `Last-Event-ID` it resumes after that event; where events since then were removed by age, a message `gap` says so. Ends
 * when `closing` fires, its key is deleted, or its client has not read for a minute; while the client does not read, the
 * stream reads nothing and holds one chunk. Acquires nothing before the first read, because the body of a HEAD request is
 * never read. A client is sent more only once it has taken what it was sent before. `share` is this process's part of what the streams of a node may buffer.
 */
export function liveEvents(
  platform: Pick<Platform, 'store' | 'precedence' | 'log' | 'share'>,
  closing: AbortSignal,
  keys: KeyWatch,
): StreamHandler {
  const { store, log, share } = platform;
  const budget = new ByteBudget(MAX_BUFFERED * share);
  let shared: ReturnType<typeof sharedOf> | undefined;
  const open = new Set<() => void>();
  // One listener for all: a signal compares each new one with all others.
  closing.addEventListener('abort', () => {
    for (const end of [...open]) end();
  });
  return ({ workspace, keyHash, lastEventId, socket }) => {
    shared ??= sharedOf(platform, budget);
    const { turns, pages, queues, news: stored } = shared;
    const pace = new ReadingPace(queues, socket);
    const over = new AbortController();
    let ended = false;
    let wake = () => {};
    /** True if something may follow the position, whatever is stored from now on. */
    let news = true;
    /** What `stored.count` was at the last read. */
    let known = 0;
    /** Undefined before the first chunk. */
    let position: Position | undefined;
    /** The events up to this number whose removal the client knows of. */
    let knownRemoved = 0;
    let idlePolls = 0;
    /** Output that is not sent yet: `pieces` of a long event, then `rest` of the page. */
    let pieces: Uint8Array[] = [];
    /** The event that `pieces` are of. */
    let piecesOf = 0;
    let rest: Part[] = [];
    let held: HeldPage | undefined;
    /** Bytes taken from the budget for `pieces`. */
    let chargedPieces = 0;
    let unread: NodeJS.Timeout | undefined;
    let close: (() => void) | undefined;

    const start = () => {
      const leave = stored.join();
      const unwatch = keys.watch(keyHash, end);
      open.add(end);
      close = () => {
        leave();
        unwatch();
        open.delete(end);
      };
      if (closing.aborted) end();
    };
    const end = () => {
      ended = true;
      // With a reason, none is made.
      over.abort('ended');
      clearTimeout(unread);
      close?.();
      close = () => {};
      drop();
      wake();
    };
    /** Gives up what is read and not sent: it is read again from the position. */
    const drop = () => {
      if (rest.length > 0 || pieces.length > 0) news = true;
      rest = [];
      held?.release();
      held = undefined;
      dropPieces();
    };
    const dropPieces = () => {
      pieces = [];
      budget.give(chargedPieces);
      chargedPieces = 0;
    };

    const firstChunk = async (): Promise<Chunk> => {
      const first = await store.read(async (tx) => {
        const { number: newest } = await eventHeads.get(tx, workspace.id);
        const known = /^\d{1,15}$/.test(lastEventId ?? '') ? Number(lastEventId) : newest;
        // A number from before the data was reset: start with the first event.
        return known > newest ? 0 : known;
      });
      return message(`retry: 1000\nid: ${first}\n\n`, first);
    };

    /** Reads what follows the position; empty if there is nothing new. */
    const read = async ({ number, sent, of }: Position): Promise<Part[]> => {
      const read = await pages.after(workspace.id, number);
      if (ended) {
        read.release();
        return [];
      }
      held = read;
      const { parts, first, more, removed } = read.page;
      news ||= more;
      if (sent > 0) {
        if (first !== of) throw new Error(`event ${of} is gone`);
        return withoutSent(parts, sent);
      }
      if (!removed || removed.number <= Math.max(number, knownRemoved)) return [...parts];
      knownRemoved = removed.number;
      return [gap(removed, (first ?? removed.number + 1) - 1), ...parts];
    };

    /** Reads the next range of a long event. The rest of the event stays the next part. */
    const readRange = async ({ number, from, bytes }: Range): Promise<void> => {
      const size = budget.take(RANGE) ? RANGE : SMALL_RANGE;
      if (size === RANGE) chargedPieces = RANGE;
      if (from + size < bytes) rest.unshift({ number, from: from + size, bytes });
      const found = await store.read((tx) => events.range(tx, workspace.id, number, from, size));
      if (!ended) pieces = found.flatMap((piece) => inChunks(withoutBreaks(piece)));
    };

    const waitForParts = async (from: Position): Promise<Part[]> => {
      for (;;) {
        if (ended) return [];
        if (news || known !== stored.count) {
          news = false;
          known = stored.count;
          const found = await read(from);
          if (found.length > 0) return found;
          drop();
        }
        if (!(await waitForNews()) && ++idlePolls % (KEEP_ALIVE_MS / POLL_MS) === 0)
          return [message(': keep-alive\n\n', from.number)];
      }
    };

    /** The next bytes, and the position after them; undefined at the end. */
    const nextChunk = async (): Promise<Chunk | undefined> => {
      if (!position) return firstChunk();
      if (pieces.length === 0) {
        dropPieces();
        if (rest.length === 0) {
          drop();
          rest = await waitForParts(position);
        }
        const part = rest.shift();
        if (!part || 'after' in part) return part;
        await readRange(part);
        piecesOf = part.number;
      }
      const bytes = pieces.shift();
      return bytes && { bytes, after: { ...position, sent: position.sent + bytes.length, of: piecesOf } };
    };

    /** Resolves to false after POLL_MS without a notification; then the caller polls. */
    const waitForNews = () =>
      new Promise<boolean>((resolve) => {
        if (news || known !== stored.count || ended) return resolve(true);
        const timer = setTimeout(() => {
          news = true;
          done(false);
        }, POLL_MS);
        const onWake = () => done(true);
        const done = (happened: boolean) => {
          wake = () => {};
          stored.waiting.delete(onWake);
          clearTimeout(timer);
          resolve(happened);
        };
        wake = onWake;
        stored.waiting.add(onWake);
      });

    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          await pace.untilReading(over.signal);
          clearTimeout(unread);
          if (ended) return controller.close();
          if (!close) start();
          const chunk = await nextChunk().catch((error: Error) => {
            log('error', 'a live event stream failed', { reason: error.message });
            return undefined;
          });
          if (chunk === undefined || ended) {
            end();
            return controller.close();
          }
          // Store and socket may both be ready repeatedly.
          await turns.next();
          if (ended) return controller.close();
          position = chunk.after;
          pace.sent(chunk.bytes.length);
          controller.enqueue(chunk.bytes);
          unread = setTimeout(() => {
            drop();
            unread = setTimeout(() => {
              end();
              disconnect(controller, socket);
            }, UNREAD_MS - HOLD_MS).unref();
          }, HOLD_MS).unref();
        },
        cancel: end,
      },
      { highWaterMark: 0 },
    );
  };
}

function sharedOf({ store, precedence }: Pick<Platform, 'store' | 'precedence'>, budget: ByteBudget) {
  const turns = new StreamTurns(precedence);
  return {
    turns,
    pages: new StreamPages({ store, turns, budget }),
    queues: new SendQueues(() => precedence.yieldToRequests()),
    news: newsOf(store),
  };
}

/**
 * Counts the notifications of new events for all streams with one subscription, and wakes only those that wait for one:
 * many streams that are behind would make each notification expensive.
 */
function newsOf(store: Pick<Store, 'subscribe'>) {
  let streams = 0;
  let unsubscribe = () => {};
  const news = {
    count: 0,
    waiting: new Set<() => void>(),
    /** To be called by each stream; returns what ends it. */
    join: () => {
      if (streams++ === 0)
        unsubscribe = store.subscribe('events', () => {
          news.count++;
          for (const wake of [...news.waiting]) wake();
        });
      return () => {
        if (--streams === 0) unsubscribe();
      };
    },
  };
  return news;
}
