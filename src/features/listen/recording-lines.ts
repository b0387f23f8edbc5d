import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileError } from '../../cli/errors/file-error.ts';
import type { Input, World } from '../../cli/terminal/world.ts';
import { openPipe } from '../../kit/pipe.ts';

/** Yields the lines of a file, or of standard input for `-`. A pipe ends when the signal fires. Throws file. */
export async function* recordingLines(
  file: string,
  world: Pick<World, 'cwd' | 'stdin'>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  try {
    const pipe = file === '-' ? world.stdin : await openPipe(resolve(world.cwd, file));
    if (pipe) {
      yield* linesOf(pipe, signal);
      return;
    }
    const handle = await open(resolve(world.cwd, file));
    try {
      for await (const line of handle.readLines()) yield line;
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw fileError(file, error);
  }
}

async function* linesOf(input: Input, signal: AbortSignal): AsyncGenerator<string> {
  const end = () => {
    lines.close();
    input.destroy?.();
  };
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  signal.addEventListener('abort', end, { once: true });
  try {
    yield* lines;
  } finally {
    signal.removeEventListener('abort', end);
  }
}
