/**
 * Parses JSON, and Python's `str()` of a value, into a tree that preserves what a JavaScript object loses: member order
 * and number literals.
 */

export type Tree = null | boolean | string | NumberLiteral | readonly Tree[] | Members;

/** A number in its original spelling. */
export class NumberLiteral {
  readonly literal: string;
  constructor(literal: string) {
    this.literal = literal;
  }
}

/** The members of an object in order. A repeated name has its last value at its first position. */
export class Members {
  readonly entries: ReadonlyArray<readonly [string, Tree]>;
  constructor(entries: Iterable<readonly [string, Tree]>) {
    this.entries = [...new Map(entries)];
  }
}

/** Maps each number and object of a tree, bottom up. */
export function mapTree(
  tree: Tree,
  each: { number?: (n: NumberLiteral) => NumberLiteral; object?: (m: Members) => Members },
): Tree {
  if (tree instanceof NumberLiteral) return each.number?.(tree) ?? tree;
  if (Array.isArray(tree)) return tree.map((item) => mapTree(item, each));
  if (!(tree instanceof Members)) return tree;
  const mapped = new Members(tree.entries.map(([name, value]) => [name, mapTree(value, each)]));
  return each.object?.(mapped) ?? mapped;
}

export interface ReadJson {
  readonly tree: Tree;
  /** True for syntax that only Python uses: single quotes, True, False, None. */
  readonly isPython: boolean;
}

/** Maximum nesting; a delivery has one level. */
const MAX_DEPTH = 32;

const SPACE = /[ \t\r\n]*/y;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/sy;
const WORD = /true|false|null|True|False|None/y;
const WORDS: Record<string, null | boolean> = {
  true: true,
  false: false,
  null: null,
  True: true,
  False: false,
  None: null,
};

/**
 * Parses one value surrounded by white space. Returns undefined for other text. Throws RangeError for nesting deeper than
 * MAX_DEPTH, because indentation would multiply the size by the depth.
 */
export function readJson(text: string): ReadJson | undefined {
  const scan = new Scanner(text);
  const tree = scan.value();
  return tree === undefined || !scan.atEnd() ? undefined : { tree, isPython: scan.isPython };
}

class Scanner {
  isPython = false;
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  atEnd(): boolean {
    this.#take(SPACE);
    return this.#at === this.#text.length;
  }

  /** Parses a value at the current position; undefined where there is none. */
  value(): Tree | undefined {
    this.#take(SPACE);
    const first = this.#text[this.#at];
    if (first === '{') return this.#object();
    if (first === '[') return this.#list(']', () => this.value());
    if (first === '"' || first === "'") return this.#string();
    const word = this.#take(WORD);
    if (word !== undefined) {
      this.isPython ||= /^[TFN]/.test(word);
      return WORDS[word];
    }
    const number = this.#take(NUMBER);
    return number === undefined ? undefined : new NumberLiteral(number);
  }

  #object(): Tree | undefined {
    const entries = this.#list('}', () => {
      this.#take(SPACE);
      const name = this.#string();
      if (name === undefined || !this.#skip(':')) return undefined;
      const value = this.value();
      return value === undefined ? undefined : ([name, value] as const);
    });
    return entries && new Members(entries);
  }

  /** Parses a comma-separated list up to the closing bracket. */
  #list<T>(close: string, item: () => T | undefined): T[] | undefined {
    this.#at++;
    if (++this.#depth > MAX_DEPTH) throw new RangeError('nested too deeply');
    const items: T[] = [];
    for (let more = !this.#skip(close); more; ) {
      const one = item();
      if (one === undefined) return undefined;
      items.push(one);
      more = !this.#skip(close);
      if (more && !this.#skip(',')) return undefined;
    }
    this.#depth--;
    return items;
  }

  #string(): string | undefined {
    const quoted = this.#take(STRING);
    if (quoted === undefined) return undefined;
    this.isPython ||= quoted.startsWith("'");
    return unescaped(quoted.slice(1, -1));
  }

  #skip(mark: string): boolean {
    this.#take(SPACE);
    if (this.#text[this.#at] !== mark) return false;
    this.#at++;
    return true;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|U([0-9a-fA-F]{8})|(.))/gs;
const SHORT: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function unescaped(text: string): string {
  return text.replace(ESCAPE, (whole, u?: string, x?: string, wide?: string, one?: string) => {
    if (one !== undefined) return SHORT[one] ?? one;
    const code = Number.parseInt((u ?? x ?? wide) as string, 16);
    return code > 0x10ffff ? whole : String.fromCodePoint(code);
  });
}
