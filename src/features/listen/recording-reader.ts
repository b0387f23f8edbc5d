import { SvcError } from '../../cli/errors/svc-error.ts';
import { inputLines } from '../../cli/input/input-lines.ts';
import type { World } from '../../cli/terminal/world.ts';
import { LineTooLong } from '../../kit/lines.ts';
import { shellPath } from '../../kit/shell.ts';
import { NotARecording, parseRecorded, type Recorded } from './recording.ts';

/** Maximum number of unreadable lines before the first delivery; with more, the file is not a recording. */
const MAX_UNREADABLE_START = 1000;

/** Maximum length of a line, in characters: a body of 1 MiB in base64, and its headers, are shorter. */
const MAX_LINE = 4 * 1024 * 1024;

type Source = Pick<World, 'cwd' | 'stdin'>;

/**
 * Yields the deliveries of a recording. Ends early when the signal aborts. Throws file, and NotARecording for a file
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
  try {
    for await (const line of inputLines({ ...source, file }, signal, MAX_LINE)) {
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
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error;
    const line = number + 1;
    if (!isRecording)
      throw new NotARecording(`${file} is not a recording: line ${line} is longer than 4 MiB`);
    throw new SvcError('file', `${file}:${line} is longer than 4 MiB`, {
      hint:
        file === '-'
          ? `delete line ${line} of the input`
          : `delete the line: sed -i.bak ${line}d ${shellPath(file)}`,
    });
  }
  const [first] = start;
  if (first) throw new NotARecording(`${file} is not a recording: line ${first[0]} ${first[1]}`);
}
