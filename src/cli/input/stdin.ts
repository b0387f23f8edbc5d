import { openPipe } from '../../kit/pipe.ts';
import { SvcError } from '../errors/svc-error.ts';
import type { Input, World } from '../terminal/world.ts';

/**
 * What comes on standard input, until its end. Throws `interrupted` when the user interrupts, also while nothing comes:
 * a pipe that nobody writes to must not hold a command that was told to stop.
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
    // What ends in the middle of a read is a failure of the stream, and here it was asked for.
    if (!interrupted) throw error;
  } finally {
    stop();
  }
  if (interrupted)
    throw new SvcError('interrupted', 'interrupted before standard input ended', {
      hint: (invocation) => invocation.again(),
    });
}

/**
 * Standard input for a reader that looks at the signal itself between what comes: the signal ends it only while nothing
 * came yet, so that no record is cut in two.
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

/** Opens FIFOs and terminals for such a reader; see openPipe. */
export function pipesUntil(signal: AbortSignal) {
  return async (path: string) => {
    const pipe = await openPipe(path);
    return pipe && untilStopped(pipe, signal);
  };
}
