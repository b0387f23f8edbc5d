import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { readLines } from '../../kit/lines.ts';
import { openPipe } from '../../kit/pipe.ts';
import { fileError } from '../errors/file-error.ts';
import type { World } from '../terminal/world.ts';

/** Where the lines are read from. */
interface LineSource extends Pick<World, 'cwd' | 'stdin'> {
  /** A path, or `-` for standard input. */
  readonly file: string;
}

/**
 * Reads the lines of a file, a pipe or standard input (see `readLines`). Ends early when the signal aborts. Throws `file`
 * where it cannot be read, and LineTooLong.
 */
export async function* inputLines(
  { file, cwd, stdin }: LineSource,
  signal: AbortSignal,
  maxLength: number,
): AsyncGenerator<string> {
  const path = resolve(cwd, file);
  const stream = file === '-' ? stdin : ((await openPipe(path)) ?? createReadStream(path));
  yield* readLines(untilAborted(stream, signal, file), maxLength);
}

async function* untilAborted(
  stream: NodeJS.ReadableStream,
  signal: AbortSignal,
  name: string,
): AsyncGenerator<string | Buffer> {
  const chunks = stream[Symbol.asyncIterator]();
  const aborted = new Promise<IteratorResult<never>>((done) => {
    const end = () => done({ done: true, value: undefined });
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
  try {
    for (;;) {
      const { done, value } = await Promise.race([chunks.next(), aborted]);
      if (done || signal.aborted) return;
      yield value;
    }
  } catch (error) {
    throw fileError(name === '-' ? 'standard input' : name, error);
  } finally {
    // A pending read of a terminal or a pipe would keep the process alive.
    (stream as { destroy?: () => void }).destroy?.();
  }
}
