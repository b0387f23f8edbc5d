import { MAX_PAGE_BYTES } from './held-memory.ts';

/** Smaller ones are left to the garbage collection. */
const LEAST_BYTES = 16 * 1024 * 1024;
/** Sizes are rounded up to this, as pages of a column have similar ones. */
const STEP_BYTES = 8 * 1024 * 1024;

/** Buffers of pages that were read and are no longer needed, up to the size of the largest page together. */
const free: Uint8Array[] = [];

/**
 * Takes a buffer for a page of `bytes`, whose content is that of an earlier page. A new one for each page would stay in
 * memory until it is collected, so that a large page would need its memory several times.
 */
export function takePageBuffer(bytes: number): Uint8Array {
  // A small page that took a large buffer would leave none for the next large page.
  if (bytes < LEAST_BYTES) return new Uint8Array(bytes);
  const fits = free.filter(({ length }) => length >= bytes).sort((a, b) => a.length - b.length)[0];
  if (!fits) return new Uint8Array(Math.ceil(bytes / STEP_BYTES) * STEP_BYTES);
  free.splice(free.indexOf(fits), 1);
  return fits;
}

/** Returns whether the buffer will be used again when it is given back. */
export function isReused({ length }: Uint8Array): boolean {
  return length >= LEAST_BYTES;
}

/** Gives a buffer back, to which nothing refers any more. */
export function givePageBuffer(buffer: Uint8Array): void {
  if (!isReused(buffer)) return;
  const held = free.reduce((sum, { length }) => sum + length, buffer.length);
  if (held <= MAX_PAGE_BYTES) free.push(buffer);
}
