import { MAX_DEPTH, MAX_FIELDS, MAX_VALUES } from '../../contract/limits.ts';

/** Why a text must not be parsed. */
interface ShapeFault {
  readonly kind: 'invalid' | 'large';
  readonly message: string;
}

/** What a scan found. */
interface Shape {
  readonly members: number;
  /**
   * Where the objects at INNER_DEPTH lie, such as the properties of the events of a batch: for each object one level
   * above, in order, the first byte and the byte after the last, or -1 twice if it holds none.
   */
  readonly inner: readonly number[];
  readonly fault?: ShapeFault;
}

const INNER_DEPTH = 4;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Scans the bytes of a JSON text before it is parsed. Counts the object members, and detects text that is nested too
 * deeply, has too many values to parse without blocking other requests, or contains characters that a database cannot
 * store (U+0000, unpaired surrogates). Assumes JSON; the parser still has to validate it.
 */
export function shapeOf(bytes: Uint8Array): Shape {
  const { length } = bytes;
  const fields = new Int32Array(MAX_DEPTH + 1);
  const inner: number[] = [];
  let members = 0;
  let values = 0;
  let depth = 0;
  for (let at = 0; at < length; at++) {
    switch (bytes[at]) {
      case QUOTE: {
        const end = endOfString(bytes, at + 1);
        if (end < 0)
          return {
            members,
            inner,
            fault: { kind: 'invalid', message: 'contains an unpaired surrogate or U+0000' },
          };
        at = end;
        break;
      }
      case 0x3a: // :
        members++;
        if (++fields[depth]! > MAX_FIELDS)
          return {
            members,
            inner,
            fault: { kind: 'invalid', message: `holds an object with over ${MAX_FIELDS} fields` },
          };
        break;
      case 0x2c: // ,
        if (++values >= MAX_VALUES)
          return {
            members,
            inner,
            fault: {
              kind: 'large',
              message: `The body holds over ${MAX_VALUES} values: send fewer at a time.`,
            },
          };
        break;
      case 0x7b: // {
      case 0x5b: // [
        if (++depth > MAX_DEPTH)
          return { members, inner, fault: { kind: 'invalid', message: 'is nested too deeply' } };
        fields[depth] = 0;
        if (depth === INNER_DEPTH - 1) inner.push(-1, -1);
        else if (depth === INNER_DEPTH) inner[inner.length - 2] = at;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        // Unbalanced brackets are left to the parser.
        if (depth === INNER_DEPTH) inner[inner.length - 1] = at + 1;
        if (depth > 0) depth--;
        break;
    }
  }
  return { members, inner };
}

/** Returns the index of the closing quote, the length if there is none, or -1 for text that cannot be stored. */
function endOfString(bytes: Uint8Array, from: number): number {
  const { length } = bytes;
  let at = from;
  for (; at < length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte !== BACKSLASH) continue;
    at++;
    if (bytes[at] !== 0x75) continue;
    const unit = hex4(bytes, at + 1);
    at += 4;
    if (unit === 0) return -1;
    if (unit < 0xd800 || unit > 0xdfff) continue;
    const paired = unit < 0xdc00 && bytes[at + 1] === BACKSLASH && bytes[at + 2] === 0x75;
    const low = paired ? hex4(bytes, at + 3) : 0;
    if (low < 0xdc00 || low > 0xdfff) return -1;
    at += 6;
  }
  return at;
}

/** Returns the value of four hex digits, or 1 if one of them is not a digit, which is left to the parser. */
function hex4(bytes: Uint8Array, from: number): number {
  let unit = 0;
  for (let at = from; at < from + 4; at++) {
    const byte = bytes[at]! | 0x20;
    const digit = byte >= 0x61 ? byte - 0x57 : byte - 0x30;
    if (!(digit >= 0 && digit <= 15)) return 1;
    unit = unit * 16 + digit;
  }
  return unit;
}
