import { StringDecoder } from 'node:string_decoder';

/** A line has more characters than allowed. */
export class LineTooLong extends Error {
  override name = 'LineTooLong';
}

/**
 * Splits UTF-8 text into lines, without their ends (LF or CRLF) and without a byte order mark. Throws LineTooLong.
 * Unlike node:readline it bounds the memory for a line that does not end.
 * @param maxLength in characters
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array | string>,
  maxLength: number,
): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let isFirst = true;
  const lineOf = (text: string) => {
    const start = isFirst && text.startsWith('\uFEFF') ? 1 : 0;
    const end = text.endsWith('\r') ? text.length - 1 : text.length;
    isFirst = false;
    if (end - start > maxLength) throw new LineTooLong(`a line is longer than ${maxLength} characters`);
    return text.slice(start, end);
  };
  let rest = '';
  for await (const chunk of chunks) {
    const text = typeof chunk === 'string' ? chunk : decoder.write(chunk);
    rest += text;
    // A long line is not searched again from its beginning.
    if (text.includes('\n')) {
      const lines = rest.split('\n');
      rest = lines.pop()!;
      for (const line of lines) yield lineOf(line);
    }
    // Two more: a byte order mark and the CR of a CRLF.
    if (rest.length > maxLength + 2) lineOf(rest);
  }
  rest += decoder.end();
  if (rest !== '') yield lineOf(rest);
}
