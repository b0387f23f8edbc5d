import { bracketsEnd } from './value-scanner.ts';

const LINE_FEED = 0x0a;
const OPEN_OBJECT = 0x7b;
const COMMA = 0x2c;
const CLOSE_ARRAY = 0x5d;

/**
 * Finds where a record that is not valid JSON ends: before the next line that starts like its own, or at the bracket that
 * closes it, whichever comes first. Returns -1 if neither is in `buffer[start..end)`.
 */
export function endOfBroken(
  buffer: Buffer,
  [start, end]: readonly [number, number],
  { indent = 0, inArray, complete }: { indent?: number | undefined; inArray: boolean; complete: boolean },
): number {
  const line = lineLike(buffer, start, end, indent);
  const closed = bracketsEnd(buffer, start, line < 0 ? end : line);
  if (closed < 0) return line;
  // The bracket closes the record only if the next byte could follow one.
  let at = closed;
  while (
    at < end &&
    (buffer[at] === 0x20 || buffer[at] === LINE_FEED || buffer[at] === 0x0d || buffer[at] === 0x09)
  )
    at++;
  if (at === end) return complete ? closed : -1;
  return !inArray || buffer[at] === COMMA || buffer[at] === CLOSE_ARRAY ? closed : line;
}

/** Returns the index of the next line that starts with `indent` white space and a brace, or -1. */
function lineLike(buffer: Buffer, start: number, end: number, indent: number): number {
  for (
    let feed = buffer.indexOf(LINE_FEED, start);
    feed >= 0 && feed < end;
    feed = buffer.indexOf(LINE_FEED, feed + 1)
  ) {
    let at = feed + 1;
    while (at < end && (buffer[at] === 0x20 || buffer[at] === 0x09)) at++;
    if (at < end && at - feed - 1 === indent && buffer[at] === OPEN_OBJECT) return feed + 1;
  }
  return -1;
}
