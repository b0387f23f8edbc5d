import { createHash } from 'node:crypto';
import { sipHash, WORDS } from './sip-hash.ts';

export { WORDS };

/** The ids of a batch, and the events that have them. */
export interface BatchIds {
  /** Has the ids as UTF-8. */
  readonly bytes: Uint8Array;
  /** For each id its first byte and the byte after the last. */
  readonly ranges: readonly number[];
  /** For each id the index of its event. */
  readonly indexes: readonly number[];
}

/**
 * The ids of a batch, each within its user: an app that guesses the id of somebody else's event must not have it taken for
 * a repeat.
 */
export function idsWithinUsers(batch: {
  ids(): BatchIds | undefined;
  at(index: number): { readonly userId: string };
}): BatchIds | undefined {
  const ids = batch.ids();
  if (!ids) return undefined;
  const { bytes, ranges, indexes } = ids;
  const parts: Uint8Array[] = [];
  const own: number[] = [];
  let end = 0;
  for (const [i, index] of indexes.entries()) {
    const user = Buffer.from(`${batch.at(index).userId}\0`);
    const id = bytes.subarray(ranges[2 * i], ranges[2 * i + 1]);
    parts.push(user, id);
    own.push(end, end + user.length + id.length);
    end += user.length + id.length;
  }
  return { bytes: Buffer.concat(parts), ranges: own, indexes };
}

/** The key under which ids are hashed, from the workspace's, so that what is stored tells no id to somebody without it. */
export function idKeyOf(workspaceKey: Uint8Array): Uint32Array {
  const bytes = createHash('sha256').update(workspaceKey).update('event ids').digest();
  return wordsOf(bytes.subarray(0, 16));
}

/** The hashes of the ids of a batch, WORDS words for each, and the indexes of those that are equal to an earlier one. */
export interface HashedIds {
  readonly hashes: Uint32Array;
  readonly repeated: readonly number[];
}

/** Hashes the ids of a batch. */
export function hashBatch(key: Uint32Array, { bytes, ranges, indexes }: BatchIds): HashedIds {
  const hashes = new Uint32Array(WORDS * indexes.length);
  for (let i = 0; i < indexes.length; i++)
    sipHash(key, bytes, ranges[2 * i]!, ranges[2 * i + 1]!, hashes, WORDS * i);
  return { hashes, repeated: repeatedHashes(hashes) };
}

function repeatedHashes(hashes: Uint32Array): number[] {
  const count = hashes.length / WORDS;
  const size = 2 ** Math.ceil(Math.log2(2 * count + 1));
  // Open addressing: for each slot the index of its hash and one, or 0.
  const slots = new Uint32Array(size);
  const repeated: number[] = [];
  for (let i = 0; i < count; i++) {
    let slot = hashes[WORDS * i]! & (size - 1);
    while (slots[slot] !== 0 && !areEqual(hashes, i, slots[slot]! - 1)) slot = (slot + 1) & (size - 1);
    if (slots[slot] === 0) slots[slot] = i + 1;
    else repeated.push(i);
  }
  return repeated;
}

function areEqual(hashes: Uint32Array, a: number, b: number): boolean {
  for (let word = 0; word < WORDS; word++)
    if (hashes[WORDS * a + word] !== hashes[WORDS * b + word]) return false;
  return true;
}

/** The block, of `blocks`, in which a hash is stored, by its first word. */
export const blockOf = (first: number, blocks: number): number => Math.floor((first * blocks) / 2 ** 32);

/** Stored hashes as words. Copies them, because bytes from a driver may lie at any address. */
export function wordsOf(bytes: Uint8Array): Uint32Array {
  const copy = new Uint8Array(bytes.length);
  copy.set(bytes);
  return new Uint32Array(copy.buffer);
}

/** Words as they are stored. */
export const bytesOf = (words: Uint32Array): Uint8Array =>
  new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
