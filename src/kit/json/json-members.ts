/** The position of a member of a JSON object in the text. */
export interface Member {
  /** The name, unescaped. */
  readonly name: string;
  /** Index of the opening quote of the name. */
  readonly at: number;
  /** Start and end of the value. */
  readonly start: number;
  readonly end: number;
}

/**
 * Lists the members of the JSON object that starts at `at`, in order and including duplicates, which JSON.parse hides.
 * Values stay text, so that numbers keep their spelling. `text` must be valid JSON.
 */
export function membersOf(text: string, at = 0): Member[] {
  const members: Member[] = [];
  let i = skipWhitespace(text, at) + 1;
  for (;;) {
    i = skipWhitespace(text, i);
    if (text.charCodeAt(i) === CLOSE_BRACE) return members;
    if (text.charCodeAt(i) === COMMA) i = skipWhitespace(text, i + 1);
    const quote = i;
    i = stringEnd(text, i);
    const name = unquoted(text.slice(quote, i));
    const start = skipWhitespace(text, skipWhitespace(text, i) + 1);
    i = valueEnd(text, start);
    members.push({ name, at: quote, start, end: i });
  }
}

/** Lists the elements of the JSON array that starts at `at`, by their index, as `membersOf` lists members. */
export function elementsOf(text: string, at = 0): Member[] {
  const elements: Member[] = [];
  let i = skipWhitespace(text, at) + 1;
  for (;;) {
    i = skipWhitespace(text, i);
    if (text.charCodeAt(i) === CLOSE_LIST) return elements;
    if (text.charCodeAt(i) === COMMA) i = skipWhitespace(text, i + 1);
    const end = valueEnd(text, i);
    elements.push({ name: String(elements.length), at: i, start: i, end });
    i = end;
  }
}

/** Removes the white space between the tokens of a JSON text. */
export function minified(text: string): string {
  if (!/\s/.test(text)) return text;
  let out = '';
  let i = 0;
  while (i < text.length) {
    const code = text.charCodeAt(i);
    const end = code === QUOTE ? stringEnd(text, i) : i + 1;
    if (!isWhitespace(code)) out += text.slice(i, end);
    i = end;
  }
  return out;
}

/** Returns the characters of a JSON string. */
export function unquoted(json: string): string {
  return json.includes('\\') ? (JSON.parse(json) as string) : json.slice(1, -1);
}

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

function isWhitespace(code: number): boolean {
  return code === SPACE || code === 0x0a || code === 0x0d || code === 0x09;
}

function skipWhitespace(text: string, at: number): number {
  let i = at;
  while (isWhitespace(text.charCodeAt(i))) i++;
  return i;
}

function stringEnd(text: string, quote: number): number {
  for (let i = text.indexOf('"', quote + 1); ; i = text.indexOf('"', i + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(i - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return i + 1;
  }
}

function valueEnd(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return stringEnd(text, start);
  let i = start;
  if (first !== OPEN_BRACE && first !== OPEN_LIST) {
    while (i < text.length && !endsScalar(text.charCodeAt(i))) i++;
    return i;
  }
  let depth = 0;
  do {
    const c = text.charCodeAt(i);
    if (c === QUOTE) {
      i = stringEnd(text, i);
      continue;
    }
    if (c === OPEN_BRACE || c === OPEN_LIST) depth++;
    else if (c === CLOSE_BRACE || c === CLOSE_LIST) depth--;
    i++;
  } while (depth > 0);
  return i;
}

function endsScalar(code: number): boolean {
  return code === COMMA || code === CLOSE_BRACE || code === CLOSE_LIST || isWhitespace(code);
}
