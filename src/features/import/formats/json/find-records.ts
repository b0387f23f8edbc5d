import { INVALID, NEED, ValueScanner } from './value-scanner.ts';

/** How JSON text holds its records. */
export type JsonShape =
  /** An object per line. */
  | { readonly format: 'ndjson' }
  /** In the array at a path; empty for an array at the top, or objects one after the other. */
  | { readonly format: 'json'; readonly path: readonly string[] }
  /** In an object over several lines that is not JSON from this byte on. */
  | { readonly format: 'json'; readonly brokenAt: number }
  /** In one of several arrays of objects, of which the user has to choose. */
  | { readonly format: 'json'; readonly choices: readonly string[] };

/** How much of the text is known: `all` of it, `more` can be had, or as much as will be read to `decide`. */
export type Known = 'all' | 'more' | 'decide';

/** Lines that are tried as records. */
const MAX_LINES = 100;
/** Arrays are sought in objects up to this depth. */
const MAX_DEPTH = 4;
const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;
const NDJSON: JsonShape = { format: 'ndjson' };
const OBJECTS: JsonShape = { format: 'json', path: [] };

/**
 * Finds out how JSON text that starts with a brace or bracket holds its records, from its beginning. An object with a
 * name in `fields` is a record, not something around records. Returns undefined if more of the text is needed to tell.
 */
export function jsonShape(head: Buffer, known: Known, fields: ReadonlySet<string>): JsonShape | undefined {
  const bytes = Buffer.concat([head, Buffer.from('\n')]);
  const from = afterSpace(bytes, head[0] === 0xef ? 3 : 0);
  if (bytes[from] !== OPEN_OBJECT) return OBJECTS;
  const scanner = new ValueScanner();
  scanner.start();
  const end = scanner.scan(bytes, from, head.length);
  if (end === INVALID) {
    // Of lines that are records, the first may be cut short.
    if (scanner.lineFeeds === 0 || head.toString('utf8').split('\n', MAX_LINES).some(isObject)) return NDJSON;
    return known === 'more' ? undefined : { format: 'json', brokenAt: scanner.at };
  }
  const lines = scanner.lineFeeds > 0;
  const plain = lines ? OBJECTS : NDJSON;
  if (end === NEED) {
    if (known === 'more') return undefined;
    return known === 'all' ? plain : (wrapped(bytes, from, fields) ?? plain);
  }
  const after = bytes.toString('utf8', end);
  if (after.trim() === '') {
    // More may follow on this line.
    if (known === 'more' && after === '\n' && !lines) return undefined;
    const around = wrapped(bytes, from, fields);
    return around && known === 'more' ? undefined : (around ?? plain);
  }
  // On the line of the first object: a comma or another object, or else something that is not JSON.
  return lines || /^[ \t\r]*(,[ \t\r]*(\n|\{)|\{)/.test(after) ? OBJECTS : NDJSON;
}

/** Returns whether a line is an object of its own. */
function isObject(line: string): boolean {
  if (!line.startsWith('{')) return false;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/** The shape of an object that is not a record itself and holds arrays of objects. */
function wrapped(bytes: Buffer, from: number, fields: ReadonlySet<string>): JsonShape | undefined {
  const search = new ArraySearch(bytes, fields);
  search.object(from, []);
  const [first, ...others] = search.found;
  if (!first || search.isRecord) return undefined;
  return others.length === 0
    ? { format: 'json', path: first }
    : { format: 'json', choices: search.found.map(pathText) };
}

/** Collects the paths of the arrays of objects in an object that may be cut short. */
class ArraySearch {
  readonly found: string[][] = [];
  isRecord = false;
  private readonly bytes: Buffer;
  private readonly fields: ReadonlySet<string>;
  private readonly scanner = new ValueScanner();

  constructor(bytes: Buffer, fields: ReadonlySet<string>) {
    this.bytes = bytes;
    this.fields = fields;
  }

  /** Returns the index after the object at `at`, or -1 if it is cut short. */
  object(at: number, path: readonly string[]): number {
    const { bytes } = this;
    let i = afterSpace(bytes, at + 1);
    while (bytes[i] === QUOTE) {
      const end = this.skip(i);
      if (end < 0) return -1;
      const name = nameOf(bytes.toString('utf8', i, end));
      if (name === undefined) return -1;
      if (path.length === 0 && this.fields.has(name)) this.isRecord = true;
      const value = afterSpace(bytes, afterSpace(bytes, end) + 1);
      if (bytes[value] === OPEN_ARRAY && bytes[afterSpace(bytes, value + 1)] === OPEN_OBJECT)
        this.found.push([...path, name]);
      const nested = bytes[value] === OPEN_OBJECT && path.length + 1 < MAX_DEPTH;
      i = nested ? this.object(value, [...path, name]) : this.skip(value);
      if (i < 0) return -1;
      i = afterSpace(bytes, i);
      if (bytes[i] === 0x2c) i = afterSpace(bytes, i + 1);
    }
    return i < bytes.length ? i + 1 : -1;
  }

  private skip(at: number): number {
    this.scanner.start();
    return this.scanner.scan(this.bytes, at, this.bytes.length);
  }
}

function nameOf(text: string): string | undefined {
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined;
  }
}

function afterSpace(bytes: Buffer, at: number): number {
  let i = at;
  while (i < bytes.length && [0x20, 0x09, 0x0d, LINE_FEED, 0x1e].includes(bytes[i]!)) i++;
  return i;
}

/** Writes a path as `--records` takes it. */
export function pathText(path: readonly string[]): string {
  return path.map((name) => name.replace(/[.\\]/g, '\\$&')).join('.');
}

/** Parses the value of `--records`: names separated by dots, in which a backslash escapes a dot. */
export function parsePath(text: string): string[] {
  const names = [''];
  for (const [, escaped, dot, plain] of text.matchAll(/\\(.)|(\.)|([^\\.]+)/gs)) {
    if (dot) names.push('');
    else names[names.length - 1] += escaped ?? plain ?? '';
  }
  return names;
}
