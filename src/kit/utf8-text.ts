import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';

/**
 * Decodes the bytes of a text file. Throws EILSEQ if they are not UTF-8: what cannot be decoded would be replaced in
 * silence, and stored or used so.
 */
export function utf8Text(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw Object.assign(new Error('it is not UTF-8 text'), { code: 'EILSEQ' });
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** Reads a text file. Throws the error of the file system, or EILSEQ if it is not UTF-8. */
export function readUtf8(path: string): string {
  return utf8Text(readFileSync(path));
}
