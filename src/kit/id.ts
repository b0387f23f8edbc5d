import { randomBytes } from 'node:crypto';

/** Generates an identifier such as `dec_3f0c…`: a prefix for the kind, and 120 random bits in hex. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(15).toString('hex')}`;
}
