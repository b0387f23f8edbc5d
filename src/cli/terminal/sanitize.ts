/**
 * Characters that could move the cursor, or hide, reorder or imitate text on a terminal. They are escaped visibly: C0
 * and C1 controls (escape sequences start with one), DEL, bidirectional and zero-width characters, line separators,
 * tags and lone surrogates.
 */
const UNSAFE_RANGES = [
  '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f', // C0 without tab and newline, DEL, C1
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u3164\\uffa0', // invisible letters and marks
  '\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff', // zero-width, line separators, bidirectional
  '\\ufe00-\\ufe0f\\u{e0000}-\\u{e0fff}', // variation selectors and tags: text hidden in text
  '\\ud800-\\udfff\\ufff0-\\ufffb', // lone surrogates, specials
];
const UNSAFE = new RegExp(`[${UNSAFE_RANGES.join('')}]`, 'gu');

/** Sanitizes text of several lines: newlines and tabs are kept. */
export function sanitize(text: string): string {
  return text.replace(UNSAFE, escapeCharacter);
}

/** Sanitizes text of one line: newlines and tabs are escaped too. */
export function sanitizeLine(text: string): string {
  return sanitize(text).replace(/[\n\t]/g, (c) => (c === '\n' ? '\\n' : '\\t'));
}

/** Serializes a value as JSON in which unsafe characters are escaped. */
export function sanitizeJson(value: unknown, indent?: number): string {
  return escapeJson(JSON.stringify(value, null, indent));
}

/** Escapes unsafe characters in JSON text and keeps its spelling otherwise. */
export function escapeJson(json: string): string {
  return json.replace(UNSAFE, (c) =>
    // JSON forbids control characters in strings, so this is white space between tokens.
    c < ' ' ? ' ' : [...Array(c.length).keys()].map((i) => escapeCodeUnit(c.charCodeAt(i))).join(''),
  );
}

/** Returns a response body as JSON text: JSON is kept, an empty body becomes null, other text a JSON string. */
export function foreignJson(text: string): string {
  if (text.trim() === '') return 'null';
  try {
    JSON.parse(text);
    return escapeJson(text.trim());
  } catch {
    return sanitizeJson(text);
  }
}

function escapeCharacter(c: string): string {
  const code = c.codePointAt(0)!;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : escapeCodeUnit(code);
}

function escapeCodeUnit(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}
