/** The layouts and escapings of JSON libraries, and the text forms of objects in other languages. */
import { Members, NumberLiteral, type Tree } from './json-read.ts';

/** Delimiters and literals of a text format. */
interface Syntax {
  readonly comma: string;
  readonly colon: string;
  readonly brackets: readonly [open: string, close: string];
  readonly braces: readonly [open: string, close: string];
  readonly words: { readonly true: string; readonly false: string; readonly null: string };
  readonly text: (text: string) => string;
  readonly name: (text: string) => string;
}

export interface Layout {
  readonly words: string;
  readonly indented: boolean;
  readonly write: (tree: Tree) => string;
}

export interface Escapes {
  readonly words: string;
  /** Applies the escapes to a JSON text that has only the required ones. */
  readonly apply: (json: string) => string;
}

const JSON_SYNTAX: Syntax = {
  comma: ',',
  colon: ':',
  brackets: ['[', ']'],
  braces: ['{', '}'],
  words: { true: 'true', false: 'false', null: 'null' },
  text: JSON.stringify,
  name: JSON.stringify,
};

function joined(tree: Tree, syntax: Syntax): string {
  const { comma, colon, brackets, braces, words } = syntax;
  if (typeof tree === 'string') return syntax.text(tree);
  if (tree instanceof NumberLiteral) return tree.literal;
  if (tree instanceof Members) {
    const members = tree.entries.map(([name, value]) => syntax.name(name) + colon + joined(value, syntax));
    return braces[0] + members.join(comma) + braces[1];
  }
  if (Array.isArray(tree)) {
    return brackets[0] + tree.map((item) => joined(item, syntax)).join(comma) + brackets[1];
  }
  return words[String(tree) as keyof typeof words];
}

function indentedBy(indent: string, tree: Tree, before = '\n'): string {
  const inner = before + indent;
  const block = (open: string, items: string[], close: string) =>
    items.length === 0 ? open + close : open + inner + items.join(`,${inner}`) + before + close;
  if (Array.isArray(tree)) {
    const items = tree.map((item) => indentedBy(indent, item, inner));
    return block('[', items, ']');
  }
  if (!(tree instanceof Members)) return joined(tree, JSON_SYNTAX);
  const items = tree.entries.map(
    ([name, value]) => `${JSON.stringify(name)}: ${indentedBy(indent, value, inner)}`,
  );
  return block('{', items, '}');
}

/** Writes like the default pretty printer of Jackson: spaces around the colon, lists on one line. */
function jackson(tree: Tree, before = '\n'): string {
  if (Array.isArray(tree)) {
    return tree.length === 0 ? '[ ]' : `[ ${tree.map((item) => jackson(item, before)).join(', ')} ]`;
  }
  if (!(tree instanceof Members)) return joined(tree, JSON_SYNTAX);
  if (tree.entries.length === 0) return '{ }';
  const inner = `${before}  `;
  const items = tree.entries.map(([name, value]) => `${JSON.stringify(name)} : ${jackson(value, inner)}`);
  return `{${inner}${items.join(`,${inner}`)}${before}}`;
}

const indents = (by: string, words: string): Layout => ({
  words: `indented by ${words}`,
  indented: true,
  write: (tree) => indentedBy(by, tree),
});

const COMPACT: Layout = {
  words: 'compact',
  indented: false,
  write: (tree) => joined(tree, JSON_SYNTAX),
};
const SPACED: Layout = {
  words: 'with spaces',
  indented: false,
  write: (tree) => joined(tree, { ...JSON_SYNTAX, comma: ', ', colon: ': ' }),
};

const hex = (c: string) => c.charCodeAt(0).toString(16).padStart(4, '0');
const escaping = (pattern: RegExp) => (json: string) => json.replace(pattern, (c) => `\\u${hex(c)}`);
const slashes = (json: string) => json.replaceAll('/', '\\/');

const PLAIN: Escapes = { words: '', apply: (json) => json };
const ASCII: Escapes = { words: 'non-ASCII escaped', apply: escaping(/[\u007f-\uffff]/g) };
const HTML: Escapes = { words: 'HTML characters escaped', apply: escaping(/[<>&\u2028\u2029]/g) };
const SLASHES: Escapes = { words: 'slashes escaped', apply: slashes };
const PHP: Escapes = {
  words: 'slashes and non-ASCII escaped',
  apply: (json) => slashes(escaping(/[\u0080-\uffff]/g)(json)),
};
const GSON: Escapes = {
  words: 'HTML characters escaped as Gson does',
  apply: inStrings(escaping(/[<>&='\u2028\u2029]/g)),
};
const DOTNET: Escapes = {
  words: 'escaped as System.Text.Json does',
  apply: inStrings((inner) =>
    inner
      .replaceAll('\\"', '\\u0022')
      .replace(/[<>&'+`\u007f-\uffff]/g, (c) => `\\u${hex(c).toUpperCase()}`)
      .replace(/\\u00([0-9a-f]{2})/g, (c) => `\\u${c.slice(2).toUpperCase()}`),
  ),
};

/** Applies escapes only inside strings, because numbers may contain the same characters. */
function inStrings(apply: (inner: string) => string): (json: string) => string {
  return (json) => json.replace(/"(?:[^"\\]|\\.)*"/g, (string) => `"${apply(string.slice(1, -1))}"`);
}

const ALL = [PLAIN, HTML, ASCII, PHP, SLASHES, GSON, DOTNET];

/** The layouts with their escapes, likeliest first. */
export const LAYOUTS: ReadonlyArray<readonly [Layout, readonly Escapes[]]> = [
  [COMPACT, ALL],
  [SPACED, [ASCII, ...ALL]],
  [indents('  ', '2 spaces'), ALL],
  [indents('    ', '4 spaces'), ALL],
  [indents('\t', 'tabs'), ALL],
  [{ words: 'indented as Jackson does', indented: true, write: jackson }, ALL],
  [indents(' ', '1 space'), ALL],
  [indents('   ', '3 spaces'), ALL],
];

const KNOWN = new Map<string, string>([
  [nameOf(COMPACT, PLAIN), 'compact, as JSON.stringify writes it'],
  [nameOf(COMPACT, HTML), "with HTML escapes, as Go's json.Marshal writes it"],
  [nameOf(COMPACT, PHP), "with escaped slashes, as PHP's json_encode writes it"],
  [nameOf(SPACED, ASCII), "with spaces, as Python's json.dumps writes it"],
  [nameOf(SPACED, PLAIN), 'with spaces, as json.dumps(ensure_ascii=False) writes it'],
]);

function nameOf(layout: Layout, escapes: Escapes): string {
  return escapes.words === '' ? layout.words : `${layout.words}, ${escapes.words}`;
}

/** Describes a layout with its escapes, and names the library where there is exactly one. */
export function describeForm(layout: Layout, escapes: Escapes): string {
  const name = nameOf(layout, escapes);
  return KNOWN.get(name) ?? name;
}

/** Writes like `str()` of a Python dict. */
export function pythonText(tree: Tree): string {
  return joined(tree, {
    ...JSON_SYNTAX,
    comma: ', ',
    colon: ': ',
    words: { true: 'True', false: 'False', null: 'None' },
    text: pythonString,
    name: pythonString,
  });
}

/** Writes like Python's `repr()` of a string: unprintable characters are escaped. */
function pythonString(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inner = text.replace(/[\\'\p{C}\p{Z}]/gu, (c) => {
    const code = c.codePointAt(0) as number;
    if (c === ' ' || (c === "'" && quote === '"')) return c;
    if (c === '\\' || c === "'") return `\\${c}`;
    const short = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[c];
    if (short !== undefined) return short;
    if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
    return code < 0x10000
      ? `\\u${code.toString(16).padStart(4, '0')}`
      : `\\U${code.toString(16).padStart(8, '0')}`;
  });
  return quote + inner + quote;
}

const BARE: Syntax = { ...JSON_SYNTAX, comma: ', ', colon: '=', text: (t) => t, name: (t) => t };
const RUBY: Syntax = { ...JSON_SYNTAX, comma: ', ', words: { ...JSON_SYNTAX.words, null: 'nil' } };

/** Writes like Go's `fmt.Sprint` of a map with sorted keys. */
export function goText(tree: Tree): string {
  const words = { ...BARE.words, null: '<nil>' };
  return joined(tree, { ...BARE, comma: ' ', colon: ':', braces: ['map[', ']'], words });
}

/** Text forms of an object in other languages, with their descriptions. */
export const PRINTED: ReadonlyArray<readonly [words: string, print: (tree: Tree) => string]> = [
  ["{a=1}, Java's toString()", (tree) => joined(tree, BARE)],
  ['{"a"=>1}, Ruby\'s to_s', (tree) => joined(tree, { ...RUBY, colon: '=>' })],
  ['{"a" => 1}, Ruby\'s to_s', (tree) => joined(tree, { ...RUBY, colon: ' => ' })],
];
