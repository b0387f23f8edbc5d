import { createHash } from 'node:crypto';

/** Hex SHA-256. */
export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * The idempotency key of a request of an import: the same for the same records of the same import, however often it
 * is resumed, and another one for anything else. `range` names where the records stand, `digest` what they are; a
 * key never goes out with two bodies.
 */
export function keyOf(
  importId: string,
  range: { file: number; start: number; end: number },
  digest: string,
): string {
  const name = `${importId} ${range.file} ${range.start} ${range.end} ${digest}`;
  return `import-${digestOf(Buffer.from(name)).slice(0, 40)}`;
}
