import type { Page } from '../../store/pages.ts';
import { events, type PagedEvent } from '../../store/repositories/events.ts';
import { ByteBudget } from '../byte-budget.ts';
import type { StreamHandler } from '../call.ts';
import type { KeyWatch } from '../key-watch.ts';

/** Most events that are read at once, and numbers of the log that are looked through for them. */
const PAGE = 500;
const LOOKED_THROUGH = 5000;
/** How often to look without news: what is settled may change without any (a transaction that came to nothing). */
const LOOK_MS = 1000;
/** How often a comment is sent while nothing happens, so that both sides notice a dead connection, in ms. */
const KEEP_ALIVE_MS = 15_000;
/** Most characters that are made into bytes and handed over at once, and most bytes of a long event read at once. */
const PIECE = 128 * 1024;
const READ_PIECE = 1024 * 1024;
/** How long a client may take over a piece; one that takes longer goes on after a reconnection. */
const PATIENCE_MS = 30_000;
/** Characters that all streams together have read and not yet handed over. */
const IN_HAND = 48 * 1024 * 1024;

/**
 * The live event stream (WHATWG HTML, Server-sent events): each event with its sequence number as `id`. It begins with
 * an id alone, so that a client that is cut off before the first event still knows where it was; with `Last-Event-ID`
 * it goes on after that event and misses none. Ends when `closing` fires or its key is deleted. Nothing begins before
 * somebody reads: a HEAD request leaves nothing behind.
 */
export function liveEvents(closing: AbortSignal, keys: KeyWatch): StreamHandler {
  const budget = new ByteBudget(IN_HAND);
  return ({ workspace, deps, keyHash, lastEventId }) => {
    const { store } = deps;
    const utf8 = new TextEncoder();
    let ended = false;
    let wake = () => {};
    let news = true;
    let position: number | undefined;
    let silent = 0;
    /** What is to be handed over: text from `handed` on, then the rest. */
    let text = '';
    let handed = 0;
    let rest: Part[] = [];
    let charged = 0;
    let patience: NodeJS.Timeout | undefined;
    let close: (() => void) | undefined;

    const begin = () => {
      const stopListening = store.subscribe('events', () => {
        news = true;
        wake();
      });
      const stopWatching = keys.watch(keyHash, end);
      closing.addEventListener('abort', end);
      close = () => {
        stopListening();
        stopWatching();
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
      handed = 0;
      rest = [];
      budget.give(charged);
      charged = 0;
    };

    const start = async (): Promise<Part[]> => {
      position = await store.read(async (tx) => {
        const newest = await events.settled(tx);
        const known = /^\d{1,15}$/.test(lastEventId ?? '') ? Number(lastEventId) : newest;
        // A number from before the data was reset: everything there is came after it.
        return known > newest ? 0 : known;
      });
      return [`retry: 1000\nid: ${position}\n\n`];
    };

    /** The next events, empty where nothing is new. */
    const read = async (after: number): Promise<Part[]> => {
      const settled = await store.read(events.settled);
      const upTo = Math.min(settled, after + LOOKED_THROUGH);
      const look = () => store.read((tx) => events.after(tx, workspace.id, after, upTo, PAGE));
      let page: Page<PagedEvent> | undefined = await look();
      const size = sizeOf(page);
      if (!budget.take(size)) {
        // Others have much in hand: not kept while waiting for room, but read again.
        page = undefined;
        await budget.wait(size);
        page = await look();
      }
      charged = size;
      if (ended) {
        drop();
        return [];
      }
      news ||= page.more || upTo < settled;
      position = page.more ? page.rows.at(-1)!.seq : Math.max(after, upTo);
      return partsOf(page.rows, (seq, from) => store.read((tx) => events.piece(tx, seq, from, READ_PIECE)));
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
        if (!(await waitForNews()) && ++silent % (KEEP_ALIVE_MS / LOOK_MS) === 0) return [': keep-alive\n\n'];
      }
    };

    const nextPiece = async (): Promise<Uint8Array | undefined> => {
      if (handed === text.length && rest.length === 0) {
        drop();
        rest = (await next()) ?? [];
      }
      if (handed === text.length) {
        const part = rest.shift();
        if (typeof part !== 'string') return part?.();
        text = part;
        handed = 0;
      }
      const from = handed;
      handed = pieceEnd(text, from);
      return utf8.encode(text.slice(from, handed));
    };

    /** False when no news came for LOOK_MS; then it is time to look all the same. */
    const waitForNews = () =>
      new Promise<boolean>((resolve) => {
        if (news || ended) return resolve(true);
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
          clearTimeout(patience);
          if (!close) begin();
          // Store and socket may both be ready at once, again and again: others get their turn in between.
          await new Promise((resolve) => setImmediate(resolve));
          const piece = await nextPiece().catch((error: Error) => {
            deps.log('error', 'a live event stream failed', { reason: error.message });
            return undefined;
          });
          if (piece === undefined || ended) {
            end();
            return controller.close();
          }
          controller.enqueue(piece);
          patience = setTimeout(() => {
            end();
            controller.error(new Error('the client takes nothing'));
          }, PATIENCE_MS).unref();
        },
        cancel() {
          clearTimeout(patience);
          end();
        },
      },
      { highWaterMark: 0 },
    );
  };
}

type Part = string | (() => Promise<Uint8Array>);
type ReadPiece = (seq: number, from: number) => Promise<Uint8Array>;

/** Where the piece that begins at `from` ends; never between the halves of a character. */
function pieceEnd(text: string, from: number): number {
  const end = from + PIECE;
  if (end >= text.length) return text.length;
  const unit = text.charCodeAt(end - 1);
  return unit >= 0xd800 && unit < 0xdc00 ? end + 1 : end;
}

const sizeOf = ({ rows }: Page<PagedEvent>) =>
  rows.reduce((sum, { properties }) => sum + (properties?.length ?? 0) + 256, 0);

/** The events as the stream has them; of a long one the properties are read when their turn comes. */
function partsOf(rows: readonly PagedEvent[], read: ReadPiece): Part[] {
  const parts: Part[] = [];
  let text = '';
  for (const event of rows) {
    if (event.leftOut === 0) {
      text += frame(event);
      continue;
    }
    const [before, after] = around(event);
    parts.push(text + before);
    for (let from = 0; from < event.leftOut; from += READ_PIECE)
      parts.push(async () => withoutBreaks(await read(event.seq, from)));
    text = after;
  }
  return text === '' ? parts : [...parts, text];
}

/** Line breaks can only stand between the tokens. */
function withoutBreaks(json: Uint8Array): Uint8Array {
  for (const line of [0x0a, 0x0d])
    for (let at = json.indexOf(line); at !== -1; at = json.indexOf(line, at + 1)) json[at] = 0x20;
  return json;
}

function frame(event: PagedEvent): string {
  const [before, after] = around(event);
  return before + (event.properties === null ? '' : inOneLine(event.properties)) + after;
}

/** What stands before an event's properties and after them. */
function around(event: PagedEvent): [string, string] {
  const { seq, userId, event: name, timestamp, properties, leftOut, receivedAt } = event;
  const known = JSON.stringify({ userId, event: name, timestamp }).slice(0, -1);
  const field = properties === null && leftOut === 0 ? '' : ',"properties":';
  const at = new Date(Number(receivedAt)).toISOString();
  return [`id: ${seq}\nevent: event\ndata: ${known}${field}`, `,"receivedAt":"${at}"}\n\n`];
}

/** As sent, so that big integers survive. Line breaks can only stand between its tokens. */
function inOneLine(json: string): string {
  return json.includes('\n') || json.includes('\r') ? json.replace(/[\r\n]+/g, ' ') : json;
}
