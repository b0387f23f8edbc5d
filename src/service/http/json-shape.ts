import { MAX_DEPTH, MAX_FIELDS, MAX_VALUES } from '../../contract/limits.ts';

/** What stands in the way of parsing a text at all. */
export interface ShapeFault {
  readonly kind: 'invalid' | 'large';
  readonly message: string;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Looks over the bytes of a JSON text once, before anything is built from it: how many names it has, and whether it is
 * nested too deeply, holds more than can be parsed without holding up everybody else, or has text that no database can
 * keep (U+0000, half a surrogate pair). Takes the text to be JSON; a parser still has to say whether it is.
 */
export function shapeOf(bytes: Uint8Array): { members: number; fault?: ShapeFault } {
  const { length } = bytes;
  const fields = new Int32Array(MAX_DEPTH + 1);
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
            fault: { kind: 'invalid', message: 'holds text with half a character or U+0000' },
          };
        at = end;
        break;
      }
      case 0x3a: // :
        members++;
        if (++fields[depth]! > MAX_FIELDS)
          return {
            members,
            fault: { kind: 'invalid', message: `holds an object with over ${MAX_FIELDS} fields` },
          };
        break;
      case 0x2c: // ,
        if (++values >= MAX_VALUES)
          return {
            members,
            fault: {
              kind: 'large',
              message: `The body holds over ${MAX_VALUES} values: send fewer at a time.`,
            },
          };
        break;
      case 0x7b: // {
      case 0x5b: // [
        if (++depth > MAX_DEPTH)
          return { members, fault: { kind: 'invalid', message: 'is nested too deeply' } };
        fields[depth] = 0;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        // More closed than opened is no JSON: left to the parser.
        if (depth > 0) depth--;
        break;
    }
  }
  return { members };
}

/** The place of the closing quote, the end where there is none, or -1 for text that cannot be kept. */
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

/** The number that four hex digits stand for; what is no digit makes it odd, and is left to the parser. */
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
