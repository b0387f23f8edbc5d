import { randomBytes } from 'node:crypto';

/** A new identifier such as `dec_3f0c…`: a prefix that names the kind and 120 random bits in hex. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(15).toString('hex')}`;
}
