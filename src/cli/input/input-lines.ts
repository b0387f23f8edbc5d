import { StringDecoder } from 'node:string_decoder';
import { fileError } from '../errors/file-error.ts';
import { SvcError } from '../errors/svc-error.ts';

/** Maximum length of a line, in characters; far above any request. */
const MAX_LINE = 1024 * 1024;

/**
 * Reads the lines of a stream, trimmed, without blank lines and a byte order mark. Ends early when the signal aborts.
 * Throws `file` where the stream cannot be read or a line is too long.
 * @param name the input as the user typed it
 */
export async function* inputLines(
  stream: NodeJS.ReadableStream,
  signal: AbortSignal,
  name: string,
): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  const chunks = stream[Symbol.asyncIterator]();
  const aborted = new Promise<IteratorResult<never>>((done) => {
    const end = () => done({ done: true, value: undefined });
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
  const failed = (error: unknown): never => {
    throw fileError(name === '-' ? 'standard input' : name, error);
  };
  let rest = '';
  let first = true;
  for (;;) {
    const { done, value } = await Promise.race([chunks.next().catch(failed), aborted]);
    if (signal.aborted) {
      // A pending read of a terminal or a pipe would keep the process alive.
      (stream as { destroy?: () => void }).destroy?.();
      return;
    }
    rest += done ? decoder.end() : typeof value === 'string' ? value : decoder.write(value as Buffer);
    if (first && rest !== '') {
      first = false;
      if (rest.startsWith('\uFEFF')) rest = rest.slice(1);
    }
    const lines = rest.split('\n');
    rest = done ? '' : lines.pop()!;
    if (rest.length > MAX_LINE)
      throw new SvcError('file', 'a line of the input is longer than 1 MiB', {
        hint: 'give one request or one hashId per line',
      });
    for (const line of lines) {
      const text = line.trim();
      if (text !== '') yield text;
    }
    if (done) return;
  }
}
