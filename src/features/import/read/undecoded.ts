import { isUtf8 } from 'node:buffer';
import type { Reject } from '../report/reject.ts';

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
