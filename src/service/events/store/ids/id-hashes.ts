import { hash } from 'node:crypto';

/** Words of 32 bits of a hash: at 100 million ids of a workspace, the chance that any two collide is 10^-13. */
export const WORDS = 3;

/**
 * Hashes event ids: the first 96 bits of the SHA-256 of the workspace's key and the id, so that what is stored does not
 * tell an id to somebody without the key.
 */
export function hashIds(key: string, ids: readonly string[]): Uint32Array {
  const hashes = new Uint32Array(WORDS * ids.length);
  for (const [i, id] of ids.entries()) {
    const bytes = hash('sha256', key + id, 'buffer');
    for (let word = 0; word < WORDS; word++) hashes[WORDS * i + word] = bytes.readUInt32LE(4 * word);
  }
  return hashes;
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
