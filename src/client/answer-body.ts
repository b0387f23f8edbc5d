import { TransportError } from './errors.ts';

/** Maximum size of a response body that is read whole. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/** Reads a response body whole. Throws TransportError where it is larger than 32 MiB. */
export async function readWhole(
  body: AsyncIterable<Uint8Array>,
  base: URL,
): Promise<{ readonly chunks: Uint8Array[]; readonly bytes: number }> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES)
      throw new TransportError('answer', true, `the response of ${base.origin} is larger than 32 MiB`);
    chunks.push(chunk);
  }
  return { chunks, bytes };
}
