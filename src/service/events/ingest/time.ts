import { DAYS, isUtcDateTime } from '../../../contract/timestamp.ts';

const ZERO = 0x30;
/** The form of a time up to its seconds; each 0 is a digit. */
const SECONDS = Buffer.from('0000-00-00T00:00:00');
const MAX_FRACTION = 9;

/** What `isUtcDateTime` says of a range of bytes, without making a string of an ordinary time. */
export function isUtcTime(bytes: Uint8Array, from: number, to: number): boolean {
  const plain =
    hasForm(bytes, from) &&
    endsInZ(bytes, from + SECONDS.length, to) &&
    pair(bytes, from + 8) >= 1 &&
    pair(bytes, from + 8) <= (DAYS[pair(bytes, from + 5) - 1] ?? 0) &&
    pair(bytes, from + 11) <= 23 &&
    pair(bytes, from + 14) <= 59 &&
    pair(bytes, from + 17) <= 59;
  // A leap day, if it is a time at all.
  return plain || isUtcDateTime(Buffer.from(bytes.subarray(from, to)).toString('latin1'));
}

function hasForm(bytes: Uint8Array, from: number): boolean {
  for (let i = 0; i < SECONDS.length; i++) {
    const expected = SECONDS[i]!;
    if (expected === ZERO ? !isDigit(bytes[from + i]!) : bytes[from + i] !== expected) return false;
  }
  return true;
}

/** True for `Z`, or a fraction of a second and `Z`. */
function endsInZ(bytes: Uint8Array, from: number, to: number): boolean {
  if (bytes[to - 1] !== 0x5a) return false;
  if (to === from + 1) return true;
  if (bytes[from] !== 0x2e || to - from < 3 || to - from > MAX_FRACTION + 2) return false;
  for (let at = from + 1; at < to - 1; at++) if (!isDigit(bytes[at]!)) return false;
  return true;
}

const isDigit = (byte: number) => byte >= ZERO && byte <= ZERO + 9;
const pair = (bytes: Uint8Array, at: number) => (bytes[at]! - ZERO) * 10 + bytes[at + 1]! - ZERO;
