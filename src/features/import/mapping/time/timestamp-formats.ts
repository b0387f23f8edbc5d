import { EPOCHS, type Epoch, fromEpoch } from './epochs.ts';
import { fraction, type ReadToken, TOKENS, type Token } from './format-tokens.ts';
import { fromSerial, SERIAL } from './serial.ts';
import { type Converted, midnight, refuse, wallTimeToUtc } from './wall-time.ts';

/** A compiled `--timestamp-format`. */
export interface TimestampFormat {
  readonly format: string;
  /** The format contains a zone, so that `--time-zone` does not matter. */
  readonly hasZone: boolean;
  /** Without a time of day, a date is midnight. */
  readonly hasTime: boolean;
  /** Converts a text in this format to UTC; without a zone it is a local time of `zone`, an IANA name. */
  readonly parse: (text: string, zone: string) => Converted;
}

/** A format that cannot be compiled; the message says why, without the format. */
export class TimestampFormatError extends Error {
  override readonly name = 'TimestampFormatError';
  /** A format that was probably meant. */
  readonly suggestion: string | undefined;

  constructor(message: string, suggestion?: string) {
    super(message);
    this.suggestion = suggestion;
  }
}

/** What Moment calls the epochs. */
const EPOCH_ALIASES: ReadonlyMap<string, Epoch> = new Map([
  ['X', 'epoch-s'],
  ['x', 'epoch-ms'],
]);
/** A year in a row of digits is one of these, so that digits in another order are not read as a date. */
const COMPACT_YEARS = [1900, 2199] as const;

/**
 * Compiles a format of `--timestamp-format`: the tokens of time/format-tokens.ts with text between them, where letters
 * other than `T` stand in brackets, or the name of an epoch, or `excel`. Throws a TimestampFormatError.
 */
export function compileTimestampFormat(format: string): TimestampFormat {
  const epoch = EPOCH_ALIASES.get(format) ?? (Object.hasOwn(EPOCHS, format) ? (format as Epoch) : undefined);
  const refusal = refuse(`is not of the form ${format} (--timestamp-format)`);
  if (epoch)
    return {
      format: epoch,
      hasZone: true,
      hasTime: true,
      parse: (text) => fromEpoch(text.trim(), epoch) ?? refusal,
    };
  if (format === SERIAL) return { format, hasZone: false, hasTime: true, parse: fromSerial };
  const { parts, names, reads, compact } = tokenize(format);
  check(parts, names);
  return {
    format,
    hasZone: parts.has('zone'),
    hasTime: parts.has('hour'),
    parse(text, zone) {
      const trimmed = text.trim();
      const wall = midnight();
      let at = 0;
      for (const read of reads) {
        at = read(trimmed, at, wall);
        if (at < 0) return refusal;
      }
      if (at !== trimmed.length) return refusal;
      if (compact && (wall.year < COMPACT_YEARS[0] || wall.year > COMPACT_YEARS[1])) return refusal;
      return wallTimeToUtc(wall, zone);
    },
  };
}

interface Tokenized {
  readonly parts: ReadonlySet<Token['part']>;
  /** The names of the tokens. */
  readonly names: ReadonlySet<string>;
  readonly reads: readonly ReadToken[];
  /** The year is followed or preceded by other digits without a separator. */
  readonly compact: boolean;
}

function tokenize(format: string): Tokenized {
  const parts = new Set<Token['part']>();
  const names = new Set<string>();
  const reads: ReadToken[] = [];
  let compact = false;
  let before: Token | undefined;
  let rest = format;
  while (rest !== '') {
    const { token, length, literal } = next(rest, format.slice(0, format.length - rest.length));
    rest = rest.slice(length);
    if (!token) {
      reads.push(literal === ' ' ? readSpaces : readLiteral(literal));
      before = undefined;
      continue;
    }
    if (parts.has(token.part)) throw new TimestampFormatError(`gives the ${token.part} twice`);
    parts.add(token.part);
    names.add(literal);
    const touching = before !== undefined && before.width !== 'words' && token.width !== 'words';
    if (touching && (before?.width === 'variable' || (token.width === 'variable' && rest !== '')))
      throw new TimestampFormatError('needs two digits each, or a separator, where numbers touch');
    if (touching && (token.part === 'year' || before?.part === 'year')) compact = true;
    reads.push(token.read);
    before = token;
  }
  return { parts, names, reads, compact };
}

/** The next token, or text, of a format; `literal` is the text, or the name of the token. */
function next(rest: string, before: string): { token?: Token; literal: string; length: number } {
  const bracket = /^\[([^\]]*)\]/.exec(rest);
  if (bracket) return { literal: bracket[1]!, length: bracket[0].length };
  const fractional = /^S{1,9}/.exec(rest)?.[0].length;
  if (fractional !== undefined) {
    // After a decimal point, the number of digits says how precise the time is, not what it is.
    const decimal = /[.,]$/.test(before);
    return {
      token: decimal ? fraction(1, 9) : fraction(fractional, fractional),
      literal: 'S',
      length: fractional,
    };
  }
  const found = TOKENS.find(([name]) => rest.startsWith(name));
  if (found) return { token: found[1], literal: found[0], length: found[0].length };
  const character = rest[0]!;
  if (/[A-SU-Za-z%]/.test(character)) throw unknownToken(character, before + rest);
  return { literal: character, length: 1 };
}

/** The format as it was probably meant, if it is written with the tokens of Java, ICU, Luxon or strptime. */
function unknownToken(character: string, format: string): TimestampFormatError {
  const unknown =
    character === '%'
      ? 'has tokens of strptime'
      : `has ${character}, which is not a token; text stands in brackets, such as [${character}]`;
  const meant = format.includes('%')
    ? format.replace(/%([a-zA-Z])/g, (whole, name: string) => STRPTIME[name] ?? whole)
    : format
        .replace(/'([^']*)'/g, (_, text: string) => (text === 'T' ? 'T' : `[${text}]`))
        .replace(/y+/g, (years) => (years.length === 2 ? 'YY' : 'YYYY'))
        .replace(/(?<!d)d{1,2}(?!d)/g, (days) => days.toUpperCase())
        .replace(/E+/g, 'ddd')
        .replace(/X+|x+/g, 'Z');
  if (meant === format) return new TimestampFormatError(unknown);
  try {
    compileTimestampFormat(meant);
    return new TimestampFormatError(unknown, meant);
  } catch {
    return new TimestampFormatError(unknown);
  }
}

const STRPTIME: Readonly<Record<string, string>> = {
  Y: 'YYYY',
  y: 'YY',
  m: 'MM',
  B: 'MMMM',
  b: 'MMM',
  d: 'DD',
  e: 'D',
  A: 'dddd',
  a: 'ddd',
  H: 'HH',
  I: 'hh',
  M: 'mm',
  S: 'ss',
  f: 'SSS',
  p: 'A',
  z: 'Z',
  T: 'HH:mm:ss',
  F: 'YYYY-MM-DD',
  s: 'epoch-s',
};

function check(parts: ReadonlySet<Token['part']>, names: ReadonlySet<string>): void {
  const missing = (['year', 'month', 'day'] as const).filter((part) => !parts.has(part));
  if (missing.length > 0)
    throw new TimestampFormatError(`lacks the ${missing.join(' and the ')}; YYYY, MM and DD name them`);
  const order = ['hour', 'minute', 'second', 'fraction'] as const;
  for (const [index, part] of order.entries())
    if (index > 0 && parts.has(part) && !parts.has(order[index - 1]!))
      throw new TimestampFormatError(`has the ${part} without the ${order[index - 1]}`);
  const toTwelve = names.has('hh') || names.has('h');
  if (toTwelve !== parts.has('half'))
    throw new TimestampFormatError(
      toTwelve
        ? 'has an hour to 12 without AM or PM: add A, or write HH'
        : 'has AM or PM without an hour to 12: write hh',
    );
}

function readSpaces(text: string, at: number): number {
  let i = at;
  while (text[i] === ' ' || text[i] === '\t') i++;
  return i > at ? i : -1;
}

function readLiteral(literal: string): ReadToken {
  return (text, at) => (text.startsWith(literal, at) ? at + literal.length : -1);
}
