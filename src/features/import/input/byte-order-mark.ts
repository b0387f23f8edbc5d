import type { Window } from './window.ts';

/** Skips the byte order mark of UTF-8, EF BB BF. */
export function skipByteOrderMark(window: Window): void {
  const { buffer, start, end } = window;
  if (end - start >= 3 && buffer[start] === 0xef && buffer[start + 1] === 0xbb && buffer[start + 2] === 0xbf)
    window.start += 3;
}
