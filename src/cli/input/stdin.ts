import { openPipe } from '../../kit/pipe.ts';
import { SvcError } from '../errors/svc-error.ts';
import type { Input, World } from '../terminal/world.ts';

/**
 * Reads standard input to its end. Throws `interrupted` at an interrupt, also while the read is pending: a pipe without
 * a writer must not block an interrupted command.
 */
export async function* stdinChunks({
  stdin,
  onInterrupt,
}: Pick<World, 'stdin' | 'onInterrupt'>): AsyncGenerator<Buffer> {
  let interrupted = false;
  const stop = onInterrupt(() => {
    interrupted = true;
    stdin.destroy?.();
  });
  try {
    for await (const chunk of stdin) yield Buffer.from(chunk as Uint8Array);
  } catch (error) {
    // Destroying the stream fails a pending read.
    if (!interrupted) throw error;
  } finally {
    stop();
  }
  if (interrupted)
    throw new SvcError('interrupted', 'interrupted before standard input ended', {
      hint: (invocation) => invocation.rerunWith(),
    });
}

/**
 * Returns standard input for a reader that checks the signal between chunks: the signal ends it only before the first
 * chunk, so that no record is split.
 */
export function untilStopped(
  stdin: Input,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> & { destroy(): void } {
  return {
    destroy: () => void stdin.destroy?.(),
    async *[Symbol.asyncIterator]() {
      const chunks = stdin[Symbol.asyncIterator]();
      const stopped = new Promise<IteratorResult<never>>((resolve) => {
        const end = () => resolve({ done: true, value: undefined });
        if (signal.aborted) end();
        else signal.addEventListener('abort', end, { once: true });
      });
      let next = await Promise.race([chunks.next(), stopped]);
      for (; !next.done; next = await chunks.next()) yield next.value as Uint8Array;
    },
  };
}

/** Returns a function that opens FIFOs and terminals for such a reader; see openPipe. */
export function pipesUntil(signal: AbortSignal) {
  return async (path: string) => {
    const pipe = await openPipe(path);
    return pipe && untilStopped(pipe, signal);
  };
}
