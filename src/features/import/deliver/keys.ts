import { createHash } from 'node:crypto';

/** Returns the SHA-256 of some bytes in hex. */
export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * Returns the idempotency key of a request of an import. It is the same each time the same records are sent in the name of
 * the same run, and different for anything else: what was taken back is sent by another run. `digest` is that of the body, so a key is never used for two bodies.
 */
export function keyOf(
  run: string,
  range: { file: number; start: number; end: number },
  digest: string,
): string {
  const name = `${run} ${range.file} ${range.start} ${range.end} ${digest}`;
  return `import-${digestOf(Buffer.from(name)).slice(0, 40)}`;
}
