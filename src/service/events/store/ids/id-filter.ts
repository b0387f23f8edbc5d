import { WORDS } from './id-hashes.ts';

/**
 * Bits and probes per hash. A hash that was not added is taken for one that was with a chance of 0.0001 % in a small part
 * and 0.014 % in a large one: a batch of 1,000 new ids rarely reads the store.
 */
const BITS = 40;
const LARGE_BITS = 20;
const PROBES = 8;
/** Sizes of parts in bits, powers of two; those beyond 32 MB are large. */
const FIRST_BITS = 2 ** 20;
const SMALL_PART_BITS = 2 ** 28;
const MAX_PART_BITS = 2 ** 30;
const GROWTH = 4;
/** Beyond this total, the last part is filled further: more hashes are looked up in the store, and none is missed. */
const MAX_BITS = 2 ** 31;

interface Part {
  readonly words: Uint32Array;
  /** Hashes that it takes until the next part begins. */
  free: number;
}

/** How many hashes a part of a size takes. */
const roomOf = (bits: number) => Math.floor(bits / (bits <= SMALL_PART_BITS ? BITS : LARGE_BITS));
const partOf = (bits: number): Part => ({ words: new Uint32Array(bits / 32), free: roomOf(bits) });

/**
 * A Bloom filter (Bloom 1970, "Space/time trade-offs in hash coding with allowable errors") of hashes that grows by parts,
 * each larger than the one before (Almeida et al. 2007, "Scalable Bloom filters").
 */
export class IdFilter {
  readonly #parts: Part[];
  #bits: number;

  /** `expected`: the number of hashes that are added at first. */
  constructor(expected = 0) {
    this.#bits = FIRST_BITS;
    while (roomOf(this.#bits) < expected && this.#bits < MAX_PART_BITS) this.#bits *= 2;
    this.#parts = [partOf(this.#bits)];
  }

  /** Size in bytes. */
  get bytes(): number {
    return this.#bits / 8;
  }

  /** False if the hash was not added. `at`: the index of its first word. */
  has(hashes: Uint32Array, at: number): boolean {
    return this.#parts.some(({ words }) => isSet(words, hashes, at));
  }

  /** Adds hashes. */
  add(hashes: Uint32Array): void {
    for (let at = 0; at < hashes.length; at += WORDS) {
      let last = this.#parts.at(-1)!;
      if (last.free <= 0 && this.#bits < MAX_BITS) {
        last = partOf(Math.min(last.words.length * 32 * GROWTH, MAX_PART_BITS));
        this.#parts.push(last);
        this.#bits += last.words.length * 32;
      }
      last.free--;
      set(last.words, hashes, at);
    }
  }
}

/** Double hashing with the words that do not choose the block. */
function isSet(words: Uint32Array, hashes: Uint32Array, at: number): boolean {
  const mask = words.length - 1;
  let bit = hashes[at + 1]!;
  const step = hashes[at + 2]! | 1;
  for (let probe = 0; probe < PROBES; probe++) {
    if ((words[(bit >>> 5) & mask]! & (1 << (bit & 31))) === 0) return false;
    bit = (bit + step) | 0;
  }
  return true;
}

function set(words: Uint32Array, hashes: Uint32Array, at: number): void {
  const mask = words.length - 1;
  let bit = hashes[at + 1]!;
  const step = hashes[at + 2]! | 1;
  for (let probe = 0; probe < PROBES; probe++) {
    words[(bit >>> 5) & mask]! |= 1 << (bit & 31);
    bit = (bit + step) | 0;
  }
}
