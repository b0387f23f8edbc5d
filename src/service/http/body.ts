import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ServiceError } from '../../contract/errors.ts';
import { MAX_BODY_BYTES } from '../../contract/limits.ts';

/**
 * Reads a request's body, at most 8 MiB as sent and after decompression. What is left of a refused body stays in the
 * request, for the server to pass over (see discardRest).
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
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES)
    throw new ServiceError('payload_too_large');
  return encoding === 'gzip' ? gunzipped(request) : gather(request, request, 'was cut short');
}

async function gunzipped(request: IncomingMessage): Promise<Buffer> {
  const gunzip = createGunzip();
  // `pipe` does not tell when its source ends badly: the inflated side would wait for ever.
  const cut = () => gunzip.destroy(new Error('the request was cut short'));
  request.once('error', cut);
  request.once('aborted', cut);
  try {
    return await gather(request.pipe(gunzip), request, 'is not valid gzip');
  } finally {
    request.unpipe(gunzip);
    gunzip.destroy();
    request.off('error', cut);
    request.off('aborted', cut);
  }
}

/**
 * Not by `for await`: leaving such a loop destroys the stream, and with it the socket that the answer needs.
 */
function gather(source: Readable, request: IncomingMessage, broken: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (act: () => void) => {
      source.off('data', take).off('end', end).off('error', fail).off('close', fail);
      // An error that comes when nobody reads any more must not end the process.
      source.on('error', () => {});
      act();
      // Up to 8 MiB that the listeners' closure would keep for as long as the request lives.
      chunks.length = 0;
    };
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
      else settle(() => reject(new ServiceError('payload_too_large')));
    };
    const end = () => settle(() => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes)));
    const fail = () =>
      settle(() =>
        reject(
          new ServiceError('invalid_request', 'The body could not be read.', [
            { field: 'body', message: request.errored ? 'was cut short' : broken },
          ]),
        ),
      );
    source.on('data', take).on('end', end).on('error', fail).on('close', fail);
  });
}

/** How much of a refused body is passed over, and for how long. */
const MOST_DISCARDED = 256 * 1024 * 1024;
const LONGEST_DISCARD_MS = 30_000;

/** Passed over in one go, and then in as many ms as bodies are being passed over: others get their turn. */
const DISCARDED_AT_ONCE = 256 * 1024;

/** Bodies that are being passed over now. */
let discarding = 0;

/**
 * Passes over what nobody read of a body: a client that is still sending when the connection is closed loses the
 * answer, and on a connection that stays open the rest would be taken for the next request. All together are passed
 * over at 256 KiB a millisecond, so that they take little time from others. Resolves when the answer can go out: at once, or after the rest where the connection ends with the answer. What is too long or too slow to be
 * passed over costs its client the connection.
 */
export function discardRest(request: IncomingMessage): Promise<void> | undefined {
  if (request.complete && request.readableLength === 0) return undefined;
  discarding++;
  const passedOver = new Promise<void>((resolve) => {
    let bytes = 0;
    let turn = 0;
    const giveUp = () => {
      resolve();
      // Time for an answer that waited to go out.
      setImmediate(() => request.socket.destroySoon());
    };
    const timer = setTimeout(giveUp, LONGEST_DISCARD_MS).unref();
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MOST_DISCARDED) return giveUp();
      turn += chunk.length;
      if (turn < DISCARDED_AT_ONCE) return;
      turn = 0;
      request.pause();
      setTimeout(() => request.resume(), discarding);
    });
    request.on('error', () => {});
    request.once('end', resolve);
    request.once('close', () => {
      discarding--;
      clearTimeout(timer);
      resolve();
    });
    request.resume();
  });
  return endsWithAnswer(request) ? passedOver : undefined;
}

function endsWithAnswer({ headers, httpVersion }: IncomingMessage): boolean {
  const connection = headers.connection?.toLowerCase() ?? '';
  return httpVersion === '1.0' ? !connection.includes('keep-alive') : connection.includes('close');
}
