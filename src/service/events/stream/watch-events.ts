import { setMaxListeners } from 'node:events';
import { ServiceError } from '../../../contract/errors.ts';
import { parseFilter } from '../../../kit/event-filter/parse.ts';
import type { KeyWatch } from '../../http/access/key-watch.ts';
import type { StreamHandler } from '../../http/endpoint.ts';
import type { Platform } from '../../platform/platform.ts';
import { disconnect } from './disconnect.ts';
import { Waker } from './waker.ts';
import { Watch, type WatchBounds } from './watch.ts';

/** Watches of a workspace that are open at the same time in this process: each tests every event. */
const MAX_WATCHES = 8;
/** How long a client may take to read a chunk; a slower client is disconnected and can resume, in ms. */
const CHUNK_TIMEOUT_MS = 30_000;

/**
 * The watch of live events that match a filter, for people (endpoint `watchEvents`). Reads nothing ahead: while the
 * client does not read, the watch stands still. Ends when `closing` fires or its key is deleted. Acquires nothing before
 * the first read, because the body of a HEAD request is never read.
 */
export function watchEvents(
  platform: Pick<Platform, 'store' | 'precedence' | 'clock' | 'log'>,
  closing: AbortSignal,
  keys: KeyWatch,
  bounds: Partial<WatchBounds> = {},
): StreamHandler {
  const open = new Map<string, number>();
  // One for each open watch, removed when it ends.
  setMaxListeners(0, closing);
  return ({ workspace, keyHash, lastEventId, query, socket }) => {
    const filter = parseFilter(query.filter ?? '');
    if (!filter.ok) throw invalidFilter(filter.at, filter.message);
    const count = () => open.get(workspace.id) ?? 0;
    if (count() >= MAX_WATCHES) throw tooMany();
    const after = /^\d{1,15}$/.test(lastEventId ?? '') ? lastEventId : query.after;
    const position = after === undefined ? undefined : Number(after);
    const utf8 = new TextEncoder();
    let readTimeout: NodeJS.Timeout | undefined;
    let frames: AsyncGenerator<string> | undefined;
    const waker = new Waker();
    let close = () => {};

    const start = () => {
      const unsubscribe = platform.store.subscribe('events', () => waker.wake());
      const unwatch = keys.watch(keyHash, end);
      closing.addEventListener('abort', end);
      open.set(workspace.id, count() + 1);
      close = () => {
        close = () => {};
        unsubscribe();
        unwatch();
        closing.removeEventListener('abort', end);
        if (count() > 1) open.set(workspace.id, count() - 1);
        else open.delete(workspace.id);
      };
      if (closing.aborted) end();
      return new Watch({ platform, workspaceId: workspace.id, terms: filter.terms, waker, bounds }).frames(
        position,
      );
    };
    const end = () => {
      clearTimeout(readTimeout);
      close();
      waker.end();
    };

    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          clearTimeout(readTimeout);
          frames ??= start();
          const next = await frames.next().catch((error: Error) => {
            platform.log('error', 'a watch of events failed', { reason: error.message });
            return undefined;
          });
          if (!next || next.done || waker.ended) {
            end();
            return controller.close();
          }
          controller.enqueue(utf8.encode(next.value));
          readTimeout = setTimeout(() => {
            end();
            disconnect(controller, socket);
          }, CHUNK_TIMEOUT_MS).unref();
        },
        cancel: end,
      },
      { highWaterMark: 0 },
    );
  };
}

const invalidFilter = (at: number, message: string) =>
  new ServiceError('invalid_request', undefined, [
    { field: 'filter', message: `${message} (at character ${at + 1})` },
  ]);

const tooMany = () =>
  new ServiceError(
    'rate_limited',
    `The workspace has ${MAX_WATCHES} open watches of events. Close one of them.`,
    undefined,
    { 'retry-after': '5' },
  );
