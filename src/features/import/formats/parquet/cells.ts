import { isUtf8 } from 'node:buffer';
import type { SchemaElement, SchemaTree } from 'hyparquet';
import type { CellType } from '../../record/cell-type.ts';

/** A value that has no text. */
export class NoText {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** The text of a value; empty for a missing one. */
type Text = (value: unknown) => string | NoText;

/** How the values of a column are written. */
export interface LeafColumn {
  readonly type: CellType;
  readonly text: Text;
}

const INVALID = new NoText('is not valid UTF-8');
const BINARY = new NoText('is binary data, not text; leave the column out with --drop');

/** Parsers of text for the decoder: nothing is replaced in silence. */
export const PARSERS = {
  stringFromBytes: textOf,
  jsonFromBytes: textOf,
  timestampFromNanoseconds: (nanos: bigint) => timeText(nanos, 1_000_000_000n, true),
};

function textOf(bytes: Uint8Array | undefined): unknown {
  if (!bytes) return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return text.includes('\uFFFD') && !isUtf8(bytes) ? INVALID : text;
}

/**
 * Returns how the values of a column without parts are written. Numbers keep every digit, times become ISO 8601, in UTC
 * where the file says that they are; a time without a zone gets none.
 */
export function leafColumn(element: SchemaElement): LeafColumn {
  const { type, converted_type: converted, logical_type: logical } = element;
  const text = (of: Text): LeafColumn => ({ type: 'string', text: of });
  const number = (of: Text): LeafColumn => ({ type: 'number', text: of });
  if (converted === 'DECIMAL' || logical?.type === 'DECIMAL') {
    const scale = element.scale ?? 0;
    return number((value) => decimalText(value, scale));
  }
  if (logical?.type === 'TIMESTAMP') {
    const perSecond = PER_SECOND[logical.unit];
    return text((value) => timeText(value as bigint | number, perSecond, logical.isAdjustedToUTC));
  }
  if (converted === 'TIMESTAMP_MILLIS' || converted === 'TIMESTAMP_MICROS') {
    const perSecond = PER_SECOND[converted === 'TIMESTAMP_MILLIS' ? 'MILLIS' : 'MICROS'];
    return text((value) => timeText(value as bigint | number, perSecond, true));
  }
  if (converted === 'DATE' || logical?.type === 'DATE')
    return text((value) => timeText(Number(value) * 86_400, 1n, true).slice(0, 10));
  if (converted === 'TIME_MILLIS' || converted === 'TIME_MICROS' || logical?.type === 'TIME') {
    const unit = logical?.type === 'TIME' ? logical.unit : converted === 'TIME_MILLIS' ? 'MILLIS' : 'MICROS';
    return text((value) => timeText(value as bigint | number, PER_SECOND[unit], false).slice(11));
  }
  if (converted === 'UTF8' || logical?.type === 'STRING')
    return text((value) =>
      value instanceof Uint8Array ? (textOf(value) as string | NoText) : plainText(value),
    );
  if (type === 'BOOLEAN') return { type: 'boolean', text: (value) => (value ? 'true' : 'false') };
  if (type === 'FLOAT') return number((value) => floatText(value as number));
  if (logical?.type === 'UUID' || type === 'INT96') return text(plainText);
  if (/BYTE_ARRAY$/.test(type!) && logical?.type !== 'FLOAT16') return text(plainText);
  return number((value) => String(value));
}

/** Returns whether a column has an annotation that its values are written by, not by the decoder. */
export function isWrittenHere({ converted_type: converted, logical_type: logical }: SchemaElement): boolean {
  return (
    /^(DECIMAL|TIME|DATE|UTF8)/.test(converted ?? '') ||
    /^(DECIMAL|TIME|TIMESTAMP|DATE|STRING)$/.test(logical?.type ?? '')
  );
}

/**
 * Returns the name of a part of a nested column that the decoder would round or move to another zone. Values of the type
 * VARIANT may hold both, and may refer to the same part so often that a few bytes become more than memory holds.
 */
export function inexactPart({ element, children, path }: SchemaTree): string | undefined {
  const { converted_type: converted, logical_type: logical } = element;
  if (logical?.type === 'VARIANT') return path.join('.');
  const local = logical?.type === 'TIMESTAMP' && !logical.isAdjustedToUTC;
  if (children.length === 0 && (converted === 'DECIMAL' || logical?.type === 'DECIMAL' || local))
    return path.join('.');
  for (const child of children) {
    const found = inexactPart(child);
    if (found !== undefined) return found;
  }
  return undefined;
}

const PER_SECOND = { MILLIS: 1000n, MICROS: 1_000_000n, NANOS: 1_000_000_000n };

/** Writes a time of `perSecond` units a second since 1970, with as many digits of the second as it has. */
function timeText(value: bigint | number, perSecond: bigint, utc: boolean): string {
  const units = BigInt(value);
  let seconds = units / perSecond;
  let rest = units % perSecond;
  if (rest < 0n) {
    rest += perSecond;
    seconds -= 1n;
  }
  const date = new Date(Number(seconds) * 1000);
  if (Number.isNaN(date.getTime())) return String(value);
  const fraction =
    rest === 0n
      ? ''
      : `.${String(rest)
          .padStart(String(perSecond).length - 1, '0')
          .replace(/0+$/, '')}`;
  return date.toISOString().slice(0, -5) + fraction + (utc ? 'Z' : '');
}

/** Writes a decimal with all of its digits. */
function decimalText(value: unknown, scale: number): string {
  const unscaled = value instanceof Uint8Array ? signedOf(value) : BigInt(value as number | bigint);
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  const sign = unscaled < 0n ? '-' : '';
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** Reads a big-endian two's complement number. */
function signedOf(bytes: Uint8Array): bigint {
  if (bytes.length === 0) return 0n;
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${hex}`));
}

/** Writes a number of 32 bits with the fewest digits that give it again. */
function floatText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return String(short);
  }
  return String(value);
}

function plainText(value: unknown): string | NoText {
  if (value instanceof NoText) return value;
  if (value instanceof Uint8Array) {
    const text = textOf(value);
    return text === INVALID ? BINARY : (text as string);
  }
  return String(value);
}

/** Writes a value with parts as JSON, or returns why it cannot be written. */
export function nestedText(value: unknown): string | NoText {
  let problem: NoText | undefined;
  const text = jsonText(value, (found) => {
    problem ??= found;
  });
  return problem ?? text;
}

function jsonText(value: unknown, onProblem: (problem: NoText) => void): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) onProblem(new NoText(`holds ${value}, which is not a JSON number`));
    return String(value);
  }
  if (value instanceof NoText) onProblem(value);
  if (value instanceof Date) return JSON.stringify(value);
  if (value instanceof Uint8Array) {
    const text = plainText(value);
    if (typeof text === 'string') return JSON.stringify(text);
    onProblem(text);
    return 'null';
  }
  if (Array.isArray(value) || ArrayBuffer.isView(value))
    return `[${Array.from(value as ArrayLike<unknown>, (part) => jsonText(part, onProblem)).join(',')}]`;
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .filter(([, part]) => part !== undefined)
      .map(([name, part]) => `${JSON.stringify(name)}:${jsonText(part, onProblem)}`)
      .join(',')}}`;
  return JSON.stringify(value);
}
