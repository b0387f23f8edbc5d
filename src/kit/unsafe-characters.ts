/**
 * Characters that could move the cursor, or hide, reorder or imitate text on a terminal or a page. They are escaped
 * visibly: C0 and C1 controls (escape sequences start with one), DEL, bidirectional and zero-width characters, line
 * separators, tags and lone surrogates.
 */
const UNSAFE_RANGES = [
  '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f', // C0 without tab and newline, DEL, C1
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u3164\\uffa0', // invisible letters and marks
  '\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff', // zero-width, line separators, bidirectional
  '\\ufe00-\\ufe0f\\u{e0000}-\\u{e0fff}', // variation selectors and tags: text hidden in text
  '\\ud800-\\udfff\\ufff0-\\ufffb', // lone surrogates, specials
];

/** Matches each unsafe character. Global: for `replace` and `matchAll` only. */
export const UNSAFE = new RegExp(`[${UNSAFE_RANGES.join('')}]`, 'gu');

/** Returns the visible spelling of a character: `\x1b`, `\u202e`, `\u{e0041}`. */
export function escapeCharacter(c: string): string {
  const code = c.codePointAt(0)!;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : escapeCodeUnit(code);
}

/** Returns the JSON spelling of a UTF-16 code unit. */
export function escapeCodeUnit(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}
