import { escapeCharacter, escapeCodeUnit, UNSAFE } from '../../kit/unsafe-characters.ts';

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
