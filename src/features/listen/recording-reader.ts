import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileError } from '../../cli/errors/file-error.ts';
import type { Input, World } from '../../cli/terminal/world.ts';
import { openPipe } from '../../kit/pipe.ts';
import { NotARecording, parseRecorded, type Recorded } from './recording.ts';

/** Maximum number of unreadable lines before the first delivery; with more, the file is not a recording. */
const MAX_UNREADABLE_START = 1000;

type Source = Pick<World, 'cwd' | 'stdin'>;

/**
 * Yields the deliveries of a recording. A pipe ends when the signal fires. Throws file, and NotARecording for a file
 * without a single delivery in which at least one line is unreadable.
 * @param onUnreadable called with the number of each unreadable line and the reason
 */
export async function* readRecording(
  file: string,
  source: Source,
  signal: AbortSignal,
  onUnreadable: (line: number, reason: string) => void,
): AsyncGenerator<Recorded> {
  // Held back until the first delivery shows that the file is a recording.
  const start: [line: number, reason: string][] = [];
  let isRecording = false;
  let number = 0;
  for await (const line of linesOf(file, source, signal)) {
    number++;
    if (line.trim() === '') continue;
    const recorded = parseRecorded(line);
    if (typeof recorded !== 'string') {
      isRecording = true;
      for (const held of start.splice(0)) onUnreadable(...held);
      yield recorded;
    } else if (isRecording) onUnreadable(number, recorded);
    else if (start.push([number, recorded]) > MAX_UNREADABLE_START) break;
  }
  const [first] = start;
  if (first) throw new NotARecording(`${file} is not a recording: line ${first[0]} ${first[1]}`);
}

async function* linesOf(file: string, { cwd, stdin }: Source, signal: AbortSignal): AsyncGenerator<string> {
  try {
    const pipe = file === '-' ? stdin : await openPipe(resolve(cwd, file));
    if (pipe) {
      yield* pipeLines(pipe, signal);
      return;
    }
    const handle = await open(resolve(cwd, file));
    try {
      yield* handle.readLines();
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw fileError(file, error);
  }
}

async function* pipeLines(input: Input, signal: AbortSignal): AsyncGenerator<string> {
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
