import { randomBytes } from 'node:crypto';

/** A source of numbers in [0, 1). */
export type Random = () => number;

/** Creates a deterministic generator: sfc32, seeded by FNV-1a of the seed's text. Not for secrets. */
export function seededRandom(seed: string | number): Random {
  const text = String(seed);
  let a = fnv1a(`${text}a`);
  let b = fnv1a(`${text}b`);
  let c = fnv1a(`${text}c`);
  let counter = 1;
  const next = () => {
    const t = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return (t >>> 0) / 4294967296;
  };
  for (let i = 0; i < 12; i++) next();
  return next;
}

/** Creates a generator with the given seed (the variable SVC_SEED), or else a random seed. */
export function randomFrom(seed: string | undefined): Random {
  return seededRandom(seed ?? randomBytes(16).toString('hex'));
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash ^= text.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  return hash;
}
