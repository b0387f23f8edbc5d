/**
 * The filter language of live events, such as `user:u-17 amount>100 -source:web "any words"`. An event passes if every
 * term holds. The service evaluates it, and the console and `svc events tail` check it as it is typed.
 *
 *     filter = *( term / space )
 *     term   = [ "-" ] ( values / key ":" values / key comparison number )
 *     values = text *( "," text )             ; any of them
 *     key    = "user" / "event" / "origin" / property   ; "properties.NAME" for a property that is named so
 *     text   = word / quote *( character / "\" character ) quote
 */

/** Limits of a filter: characters, terms, and values of a term. */
export const MAX_FILTER = 1000;
const MAX_TERMS = 16;
const MAX_TERM_VALUES = 16;

const COMPARISONS = ['>=', '<=', '>', '<'] as const;
type Comparison = (typeof COMPARISONS)[number];

type Field = 'userId' | 'event' | 'origin';

/** What a term looks at: a field of the event, a property, or the whole event. */
type Subject = { readonly field: Field } | { readonly property: string } | 'anything';

interface BaseTerm {
  /** True if the event passes where the rest does not hold. */
  readonly not: boolean;
}
/** The value is one of these; for `anything`, some text of the event contains one of them. */
interface ValueTerm extends BaseTerm {
  readonly subject: Subject;
  readonly values: readonly string[];
}
/** The property is a number that compares so with `number`. */
export interface ComparisonTerm extends BaseTerm {
  readonly subject: { readonly property: string };
  readonly comparison: Comparison;
  readonly number: number;
}
export type Term = ValueTerm | ComparisonTerm;

/** A filter, or where it is wrong: the index of the first character that cannot be understood, and why. */
export type ParsedFilter =
  | { readonly ok: true; readonly terms: readonly Term[] }
  | { readonly ok: false; readonly at: number; readonly message: string };

/** Parses a filter. An empty one has no terms: every event passes. Takes linear time. */
export function parseFilter(text: string): ParsedFilter {
  if (text.length > MAX_FILTER) return wrong(MAX_FILTER, `a filter has at most ${MAX_FILTER} characters`);
  try {
    return { ok: true, terms: new Parser(text).terms() };
  } catch (error) {
    if (error instanceof Wrong) return wrong(error.at, error.message);
    throw error;
  }
}

/** Writes a term that holds for this value, for example of an event that was clicked. Undefined as key: any text. */
export function writeTerm(key: string | undefined, value: string, not = false): string {
  return `${not ? '-' : ''}${key === undefined ? '' : `${writeText(key)}:`}${writeText(value)}`;
}

/** The key by which a property is found, also if it is named like a field. */
export const propertyKey = (name: string) =>
  fieldOf(name) !== undefined || name.startsWith(PROPERTIES) ? PROPERTIES + name : name;

const PROPERTIES = 'properties.';
const SPACE = /\s/;
/** What ends a word, and so must be quoted in one. */
const DELIMITER = /[\s":<>=,]/;
const CONTROL = /[\u0000-\u001f\u007f]/;
const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

const wrong = (at: number, message: string): ParsedFilter => ({ ok: false, at, message });

function writeText(text: string): string {
  const plain = text !== '' && !text.startsWith('-') && !DELIMITER.test(text);
  return plain ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function fieldOf(key: string): Field | undefined {
  if (key === 'user' || key === 'userId') return 'userId';
  return key === 'event' || key === 'origin' ? key : undefined;
}

class Wrong extends Error {
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  terms(): Term[] {
    const control = this.#text.search(CONTROL);
    if (control !== -1) throw new Wrong(control, 'control characters are not allowed');
    const terms: Term[] = [];
    for (;;) {
      while (SPACE.test(this.#next)) this.#at++;
      if (this.#next === '') return terms;
      if (terms.length === MAX_TERMS) throw new Wrong(this.#at, `a filter has at most ${MAX_TERMS} terms`);
      terms.push(this.#term());
      if (this.#next !== '' && !SPACE.test(this.#next))
        throw new Wrong(this.#at, 'expected a space before the next term');
    }
  }

  get #next(): string {
    return this.#text.charAt(this.#at);
  }

  #term(): Term {
    const not = this.#take('-');
    const keyAt = this.#at;
    const first = this.#string('expected a word, or key:value');
    const sign = this.#sign();
    if (sign === undefined) return { not, subject: 'anything', values: this.#values(first) };
    if (first === '') throw new Wrong(keyAt, 'the key is empty');
    if (sign === ':') return { not, subject: subjectOf(first), values: this.#values() };
    const subject = subjectOf(first);
    if ('field' in subject) throw new Wrong(keyAt, `${first} is text: write ${first}:value`);
    const at = this.#at;
    const number = this.#string(`expected a number after ${sign}`);
    if (!NUMBER.test(number) || !Number.isFinite(Number(number)))
      throw new Wrong(at, `expected a number after ${sign}`);
    return { not, subject, comparison: sign, number: Number(number) };
  }

  #sign(): ':' | Comparison | undefined {
    if (this.#take(':')) return ':';
    for (const sign of COMPARISONS) if (this.#take(sign)) return sign;
    if (this.#next === '=') throw new Wrong(this.#at, 'write key:value instead of key=value');
    return undefined;
  }

  /** Values separated by commas. `first` is the first one of a term without a key. */
  #values(first?: string): string[] {
    const hasKey = first === undefined;
    const values = [first ?? this.#string('expected a value', hasKey)];
    while (this.#take(',')) {
      if (values.length === MAX_TERM_VALUES)
        throw new Wrong(this.#at, `a term has at most ${MAX_TERM_VALUES} values`);
      values.push(this.#string('expected a value after the comma', hasKey));
    }
    return values;
  }

  #take(sign: string): boolean {
    if (!this.#text.startsWith(sign, this.#at)) return false;
    this.#at += sign.length;
    return true;
  }

  /** A quoted string or a word. A value may contain `:` and comparison signs, as times and URLs do. */
  #string(missing: string, isValue = false): string {
    if (this.#next === '"') return this.#quoted();
    const from = this.#at;
    const delimiter = isValue ? /[\s",]/ : DELIMITER;
    while (this.#next !== '' && !delimiter.test(this.#next)) this.#at++;
    if (this.#at === from) throw new Wrong(from, missing);
    return this.#text.slice(from, this.#at);
  }

  #quoted(): string {
    const open = this.#at++;
    let value = '';
    while (this.#next !== '"') {
      if (this.#next === '\\') this.#at++;
      if (this.#next === '') throw new Wrong(open, 'the quote is not closed');
      value += this.#next;
      this.#at++;
    }
    this.#at++;
    return value;
  }
}

function subjectOf(key: string): Exclude<Subject, 'anything'> {
  const field = fieldOf(key);
  if (field) return { field };
  return { property: key.startsWith(PROPERTIES) ? key.slice(PROPERTIES.length) : key };
}
