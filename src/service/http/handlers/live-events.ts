import { setMaxListeners } from 'node:events';
import type { Page } from '../../store/pages.ts';
import { eventHeads } from '../../store/repositories/event-heads.ts';
import { events, type PagedEvent } from '../../store/repositories/events.ts';
import { type Removal, removals } from '../../store/repositories/removals.ts';
import { together } from '../../store/together.ts';
import { ByteBudget } from '../byte-budget.ts';
import type { StreamHandler } from '../call.ts';
import {
  chunkEnd,
  gap,
  inChunks,
  type Part,
  partsOf,
  type Range,
  sizeOf,
  withoutBreaks,
} from '../events/stream-parts.ts';
import type { KeyWatch } from '../key-watch.ts';

/** Maximum number of events per read. */
const PAGE = 500;
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
/** How long a client may take to read a chunk; a slower client is disconnected and can resume. */
const CHUNK_TIMEOUT_MS = 30_000;
/** Maximum characters that all streams together have read and not yet sent. */
const MAX_BUFFERED = 48 * 1024 * 1024;

/**
 * The live event stream (WHATWG HTML, Server-sent events): each event with its number in the workspace as `id`. It starts with
 * an id without an event, so that a client that is disconnected before the first event knows its position. With
 * `Last-Event-ID` it resumes after that event; where events since then were removed by age, a message `gap` says so. Ends
 * when `closing` fires or its key is deleted. Acquires nothing before the first read, because the body of a HEAD request is never read. `share` is this process's part of what
 * the streams of a node may buffer.
 */
export function liveEvents(closing: AbortSignal, keys: KeyWatch, share = 1): StreamHandler {
  const budget = new ByteBudget(MAX_BUFFERED * share);
  // One for each open stream, removed when it ends.
  setMaxListeners(0, closing);
  return ({ workspace, deps, keyHash, lastEventId }) => {
    const { store } = deps;
    const utf8 = new TextEncoder();
    let ended = false;
    let wake = () => {};
    let news = true;
    let position: number | undefined;
    /** The events up to this number whose removal the client knows of. */
    let knownRemoved = 0;
    let idlePolls = 0;
    /** Output that is not sent yet: `text` from index `sent`, then `pieces`, then `rest`. */
    let text = '';
    let sent = 0;
    let pieces: Uint8Array[] = [];
    let rest: Part[] = [];
    /** Characters taken from the budget for a page, and bytes for `pieces`. */
    let charged = 0;
    let chargedPieces = 0;
    let readTimeout: NodeJS.Timeout | undefined;
    let close: (() => void) | undefined;

    const open = () => {
      const unsubscribe = store.subscribe('events', () => {
        news = true;
        wake();
      });
      const unwatch = keys.watch(keyHash, end);
      closing.addEventListener('abort', end);
      close = () => {
        unsubscribe();
        unwatch();
        closing.removeEventListener('abort', end);
      };
      if (closing.aborted) end();
    };
    const end = () => {
      ended = true;
      close?.();
      close = () => {};
      drop();
      wake();
    };
    const drop = () => {
      text = '';
      sent = 0;
      rest = [];
      budget.give(charged);
      charged = 0;
      dropPieces();
    };
    const dropPieces = () => {
      pieces = [];
      budget.give(chargedPieces);
      chargedPieces = 0;
    };

    const start = async (): Promise<Part[]> => {
      position = await store.read(async (tx) => {
        const { number: newest } = await eventHeads.get(tx, workspace.id);
        const known = /^\d{1,15}$/.test(lastEventId ?? '') ? Number(lastEventId) : newest;
        // A number from before the data was reset: start with the first event.
        return known > newest ? 0 : known;
      });
      return [`retry: 1000\nid: ${position}\n\n`];
    };

    /** Reads the next events; empty if there are no new ones. */
    const read = async (after: number): Promise<Part[]> => {
      const readPage = () =>
        store.read(async (tx) => {
          const [removed, found] = await together([
            removals.of(tx, workspace.id, 'events'),
            events.after(tx, workspace.id, after, PAGE),
          ]);
          return { ...found, removed };
        });
      let page: (Page<PagedEvent> & { removed: Removal | undefined }) | undefined = await readPage();
      const size = sizeOf(page);
      if (!budget.take(size)) {
        // Do not keep the page while waiting for the budget; read it again.
        page = undefined;
        await budget.wait(size);
        page = await readPage();
      }
      charged = size;
      if (ended) {
        drop();
        return [];
      }
      news ||= page.more;
      const { rows, removed } = page;
      const gone = removed && removed.number > Math.max(after, knownRemoved) ? removed : undefined;
      const first = Number(rows[0]?.number ?? (gone?.number ?? after) + 1);
      position = Number(rows.at(-1)?.number ?? first - 1);
      if (!gone) return partsOf(rows);
      knownRemoved = gone.number;
      return [gap(gone, first - 1), ...partsOf(rows)];
    };

    /** Reads the next range of a long event. The rest of the event stays the next part. */
    const readRange = async ({ number, from, bytes }: Range): Promise<Uint8Array[]> => {
      const size = budget.take(RANGE) ? RANGE : SMALL_RANGE;
      if (size === RANGE) chargedPieces = RANGE;
      if (from + size < bytes) rest.unshift({ number, from: from + size, bytes });
      const found = await store.read((tx) => events.range(tx, workspace.id, number, from, size));
      return found.flatMap((piece) => inChunks(withoutBreaks(piece)));
    };

    const next = async (): Promise<Part[] | undefined> => {
      if (position === undefined) return start();
      for (;;) {
        if (ended) return undefined;
        if (news) {
          news = false;
          const found = await read(position);
          if (found.length > 0) return found;
          drop();
        }
        if (!(await waitForNews()) && ++idlePolls % (KEEP_ALIVE_MS / POLL_MS) === 0)
          return [': keep-alive\n\n'];
      }
    };

    const nextChunk = async (): Promise<Uint8Array | undefined> => {
      if (sent === text.length && pieces.length === 0) {
        dropPieces();
        if (rest.length === 0) {
          drop();
          rest = (await next()) ?? [];
        }
        const part = rest.shift();
        if (part === undefined) return undefined;
        if (typeof part === 'string') {
          text = part;
          sent = 0;
        } else pieces = await readRange(part);
      }
      if (sent === text.length) return pieces.shift();
      const from = sent;
      sent = chunkEnd(text, from);
      return utf8.encode(text.slice(from, sent));
    };

    /** Resolves to false after POLL_MS without a notification; then the caller polls. */
    const waitForNews = () =>
      new Promise<boolean>((resolve) => {
        if (news || ended) return resolve(true);
        const timer = setTimeout(() => {
          news = true;
          resolve(false);
        }, POLL_MS);
        wake = () => {
          clearTimeout(timer);
          resolve(true);
        };
      });

    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          clearTimeout(readTimeout);
          if (!close) open();
          // Store and socket may both be ready repeatedly.
          await deps.precedence.piece();
          const chunk = await nextChunk().catch((error: Error) => {
            deps.log('error', 'a live event stream failed', { reason: error.message });
            return undefined;
          });
          if (chunk === undefined || ended) {
            end();
            return controller.close();
          }
          controller.enqueue(chunk);
          readTimeout = setTimeout(() => {
            end();
            controller.error(new Error('the client does not read'));
          }, CHUNK_TIMEOUT_MS).unref();
        },
        cancel() {
          clearTimeout(readTimeout);
          end();
        },
      },
      { highWaterMark: 0 },
    );
  };
}
