import { isUtf8 } from 'node:buffer';
import type { Reject } from '../record/reject.ts';

const UTF_8 = 'utf-8';

/** Why bytes cannot be read as text of an encoding. */
export function notText(encoding = UTF_8): string {
  return encoding === UTF_8 ? 'is not valid UTF-8' : `has bytes that are not ${encoding} text`;
}

/** The parts of a reject for bytes that are not UTF-8; none for text that was converted, whose bytes are gone. */
export function undecodedParts(bytes: Buffer, encoding = UTF_8): Pick<Reject, 'rawBase64' | 'fixableBy'> {
  if (encoding !== UTF_8 || isUtf8(bytes)) return {};
  return { rawBase64: bytes.toString('base64'), fixableBy: ['encoding'] };
}

/** Returns the bytes of the lines that are not UTF-8, without a character that is cut at the end. */
export function notUtf8Lines(bytes: Buffer): Buffer {
  const lines: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const feed = bytes.indexOf(0x0a, at);
    // The last line may be cut.
    if (feed < 0 && lines.length > 0) break;
    const end = feed < 0 ? bytes.length : feed + 1;
    const line = bytes.subarray(at, end);
    if (!isUtf8(line) && (feed >= 0 || !isUtf8(line.subarray(0, -3)))) lines.push(line);
    at = end;
  }
  return Buffer.concat(lines);
}
