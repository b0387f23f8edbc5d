import { randomFillSync } from 'node:crypto';

const BYTES = 15;
/** Random bytes for the next identifiers: one call for many takes as long as one for a few. */
let pool = Buffer.alloc(0);
let used = 0;

/** Generates an identifier such as `dec_3f0c…`: a prefix for the kind, and 120 random bits in hex. */
export function newId(prefix: string): string {
  if (used === pool.length) {
    // A small one first: most commands need few.
    pool = Buffer.alloc(Math.min(BYTES * 128, Math.max(BYTES, pool.length * 2)));
    randomFillSync(pool);
    used = 0;
  }
  const start = used;
  used += BYTES;
  return `${prefix}_${pool.toString('hex', start, used)}`;
}
