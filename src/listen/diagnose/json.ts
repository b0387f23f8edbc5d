/** How the JSON libraries that people use write a value that they have read. */
import type { Applied } from './mistakes.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

interface Style {
  readonly comma: string;
  readonly colon: string;
  readonly quote: (text: string) => string;
}

const ascii = (json: string) =>
  json.replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
const goEscapes = (json: string) =>
  json.replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

const NODE: Style = { comma: ',', colon: ':', quote: JSON.stringify };
const PYTHON: Style = { comma: ', ', colon: ': ', quote: (t) => ascii(JSON.stringify(t)) };
const GO: Style = { ...NODE, quote: (t) => goEscapes(JSON.stringify(t)) };

const STYLES: ReadonlyArray<{ style: Style; by: string }> = [
  { style: NODE, by: 'compact, as JSON.stringify writes it' },
  { style: PYTHON, by: "with spaces, as Python's json.dumps writes it" },
  {
    style: { ...PYTHON, quote: JSON.stringify },
    by: 'with spaces, as json.dumps(ensure_ascii=False) writes it',
  },
  { style: GO, by: "with HTML escapes, as Go's json.Marshal writes it" },
  { style: { ...NODE, quote: (t) => ascii(JSON.stringify(t)) }, by: 'compact, in ASCII' },
  {
    style: { ...NODE, quote: (t) => ascii(JSON.stringify(t)).replaceAll('/', '\\/') },
    by: "with escaped slashes, as PHP's json_encode writes it",
  },
];
const INDENTS = ['  ', '    ', '\t'];

/**
 * The re-serialised and pretty-printed forms of a JSON text. None for a text that is no JSON.
 * @param thorough false gives the compact and the 2- and 4-space forms only
 */
export function* serialisations(
  text: string,
  thorough: boolean,
): Generator<{ json: string; mistake: Applied }> {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return;
  }
  const seen = new Set([text]);
  for (const { json, mistake } of forms(value, text, thorough)) {
    if (seen.has(json)) continue;
    seen.add(json);
    yield { json, mistake };
  }
}

function* forms(value: Json, text: string, thorough: boolean): Generator<{ json: string; mistake: Applied }> {
  try {
    const arrivedPretty = INDENTS.some((indent) => JSON.stringify(value, null, indent) === text.trimEnd());
    for (const indent of INDENTS) {
      yield { json: JSON.stringify(value, null, indent), mistake: pretty(indent) };
    }
    const orders: Array<[Json, string]> = [[value, '']];
    if (thorough) orders.push([sorted(value), ', keys sorted']);
    for (const [ordered, note] of orders) {
      for (const { style, by } of thorough ? STYLES : STYLES.slice(0, 1)) {
        const detail = by + note;
        const mistake: Applied = arrivedPretty
          ? { name: 'pretty-printed-body', detail }
          : { name: 're-serialised-body', detail };
        yield { json: write(ordered, style), mistake };
      }
    }
    if (!thorough) return;
    for (const indent of INDENTS) {
      yield { json: JSON.stringify(sorted(value), null, indent), mistake: pretty(indent, ', keys sorted') };
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error; // nested deeper than the stack: no re-serialiser wrote that
  }
}

function pretty(indent: string, note = ''): Applied {
  const by = indent === '\t' ? 'tabs' : `${indent.length} spaces`;
  return { name: 'pretty-printed-body', detail: `indented by ${by}${note}` };
}

function write(value: Json, style: Style): string {
  if (typeof value === 'string') return style.quote(value);
  if (Array.isArray(value)) return `[${value.map((item) => write(item, style)).join(style.comma)}]`;
  if (value !== null && typeof value === 'object') {
    const members = Object.entries(value).map(([k, v]) => style.quote(k) + style.colon + write(v, style));
    return `{${members.join(style.comma)}}`;
  }
  return JSON.stringify(value);
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name] as Json)]));
}
