import type { IncomingMessage } from 'node:http';
import { createGunzip } from 'node:zlib';
import { ServiceError } from '../../contract/errors.ts';
import { MAX_BODY_BYTES } from '../../contract/limits.ts';

/**
 * Reads a request's body, at most 8 MiB as sent and after decompression.
 * Throws payload_too_large, unsupported_media_type (an encoding other than gzip) or invalid_request (broken gzip).
 */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding !== 'identity' && encoding !== 'gzip') {
    throw new ServiceError(
      'unsupported_media_type',
      `The content encoding ${JSON.stringify(encoding)} is not supported: send gzip or none.`,
    );
  }
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const source = encoding === 'gzip' ? request.pipe(createGunzip()) : request;
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError('invalid_request', 'The body could not be read.', [
      { field: 'body', message: encoding === 'gzip' ? 'is not valid gzip' : 'was cut short' },
    ]);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes);
}

function tooLarge(): ServiceError {
  // The rest of the body is not read, so the connection cannot be used again.
  return new ServiceError('payload_too_large', undefined, undefined, { connection: 'close' });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses a body as UTF-8 JSON. Throws invalid_request. */
export function parseJson(raw: Buffer): { text: string; value: unknown } {
  let text: string;
  try {
    text = utf8.decode(raw);
  } catch {
    throw new ServiceError('invalid_request', undefined, [{ field: 'body', message: 'is not valid UTF-8' }]);
  }
  try {
    return { text, value: JSON.parse(text) };
  } catch (error) {
    // Too deep a nesting ends in a RangeError: as much the sender's fault as a missing bracket.
    const why = error instanceof SyntaxError ? 'is not valid JSON' : 'is nested too deeply';
    throw new ServiceError('invalid_request', undefined, [{ field: 'body', message: why }]);
  }
}
