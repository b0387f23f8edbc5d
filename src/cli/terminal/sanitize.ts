/**
 * The terminal sanitiser: the one place where text from outside is made fit for a terminal.
 * What could move the cursor, hide, reorder or imitate text becomes a visible escape: C0 and C1 controls (escape
 * sequences begin with one), DEL, bidirectional and zero-width characters, line separators, tags, lone surrogates.
 */
const UNSAFE_RANGES = [
  '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f', // C0 without tab and newline, DEL, C1
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u3164\\uffa0', // invisible letters and marks
  '\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff', // zero-width, line separators, bidirectional
  '\\ufe00-\\ufe0f\\u{e0000}-\\u{e0fff}', // variation selectors and tags: text hidden in text
  '\\ud800-\\udfff\\ufff0-\\ufffb', // lone surrogates, specials
];
const UNSAFE = new RegExp(`[${UNSAFE_RANGES.join('')}]`, 'gu');

/** Cleans text that may span lines: newlines and tabs stay. */
export function sanitize(text: string): string {
  return text.replace(UNSAFE, visible);
}

/** Cleans text that must stay on one line: newlines and tabs are made visible too. */
export function sanitizeLine(text: string): string {
  return sanitize(text).replace(/[\n\t]/g, (c) => (c === '\n' ? '\\n' : '\\t'));
}

/** JSON text whose every character is harmless to a terminal; the value it stands for is the same. */
export function sanitizeJson(value: unknown, indent?: number): string {
  return escapeJson(JSON.stringify(value, null, indent));
}

/** The same for JSON text that came from elsewhere and must keep its spelling otherwise. */
export function escapeJson(json: string): string {
  return json.replace(UNSAFE, (c) =>
    // What JSON does not allow inside strings can only be white space between tokens.
    c < ' ' ? ' ' : [...Array(c.length).keys()].map((i) => unit(c.charCodeAt(i))).join(''),
  );
}

/**
 * What a service answered as one JSON document: its own spelling where it is JSON, null where it is nothing, and the
 * text as a JSON string where it is anything else.
 */
export function foreignJson(text: string): string {
  if (text.trim() === '') return 'null';
  try {
    JSON.parse(text);
    return escapeJson(text.trim());
  } catch {
    return sanitizeJson(text);
  }
}

function visible(c: string): string {
  const code = c.codePointAt(0)!;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : unit(code);
}

function unit(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}
