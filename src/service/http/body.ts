import type { IncomingMessage } from 'node:http';
import { gunzip } from 'node:zlib';
import { ServiceError } from '../../contract/errors.ts';
import { MAX_BODY_BYTES } from '../../contract/limits.ts';

/** Most bytes that a piece of a body may have and still be copied, so that it does not keep what it was read with. */
const SMALL = 8 * 1024;
const BLOCK = 64 * 1024;
/** Pieces that a body may come in: so many, and one more for each 32 bytes. A client decides where chunks end. */
const PIECES = 10_000;
const BYTES_OF_PIECE = 32;
const tooMany = (pieces: number, bytes: number) => pieces > PIECES + bytes / BYTES_OF_PIECE;

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
  const sent = await gather(request);
  return encoding === 'gzip' ? gunzipped(sent) : sent;
}

function gunzipped(sent: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    gunzip(sent, { maxOutputLength: MAX_BODY_BYTES, chunkSize: BLOCK }, (error, inflated) => {
      if (!error) resolve(inflated);
      else if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
        reject(new ServiceError('payload_too_large'));
      else reject(unreadable('is not valid gzip'));
    });
  });
}

/**
 * Not by `for await`: leaving such a loop destroys the stream, and with it the socket that the answer needs.
 */
function gather(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const blocks: Buffer[] = [];
    let open = Buffer.alloc(0);
    let used = 0;
    let bytes = 0;
    let pieces = 0;
    const settle = (act: () => void) => {
      request.off('data', take).off('end', end).off('error', fail).off('close', fail);
      // An error that comes when nobody reads any more must not end the process.
      request.on('error', () => {});
      act();
      // Up to 8 MiB that the listeners' closure would keep for as long as the request lives.
      blocks.length = 0;
    };
    const closeBlock = () => {
      if (used > 0) blocks.push(open.subarray(0, used));
      open = open.subarray(used);
      used = 0;
    };
    const keep = (chunk: Buffer) => {
      if (chunk.length > SMALL || chunk.length > open.length - used) closeBlock();
      if (chunk.length > SMALL) return void blocks.push(chunk);
      if (chunk.length > open.length) open = Buffer.allocUnsafeSlow(BLOCK);
      used += chunk.copy(open, used);
    };
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      pieces++;
      if (bytes > MAX_BODY_BYTES) settle(() => reject(new ServiceError('payload_too_large')));
      else if (tooMany(pieces, bytes)) settle(() => reject(unreadable('comes in too many pieces')));
      else keep(chunk);
    };
    const end = () => {
      closeBlock();
      settle(() => resolve(blocks.length === 1 ? blocks[0]! : Buffer.concat(blocks, bytes)));
    };
    const fail = () => settle(() => reject(unreadable('was cut short')));
    request.on('data', take).on('end', end).on('error', fail).on('close', fail);
  });
}

function unreadable(message: string): ServiceError {
  return new ServiceError('invalid_request', 'The body could not be read.', [{ field: 'body', message }]);
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
 * over at 256 KiB a millisecond, so that they take little time from others. Resolves when the answer can go out: at once, or after the rest where the connection ends with the answer. What is too long, too slow or in too many pieces to be
 * passed over costs its client the connection.
 */
export function discardRest(request: IncomingMessage): Promise<void> | undefined {
  if (request.complete && request.readableLength === 0) return undefined;
  discarding++;
  const passedOver = new Promise<void>((resolve) => {
    let bytes = 0;
    let pieces = 0;
    let turn = 0;
    const giveUp = () => {
      request.off('data', passOver).pause();
      resolve();
      // Time for an answer that waited to go out.
      setImmediate(() => request.socket.destroySoon());
    };
    const timer = setTimeout(giveUp, LONGEST_DISCARD_MS).unref();
    const passOver = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MOST_DISCARDED || tooMany(++pieces, bytes)) return giveUp();
      turn += chunk.length;
      if (turn < DISCARDED_AT_ONCE) return;
      turn = 0;
      request.pause();
      setTimeout(() => request.resume(), discarding);
    };
    request.on('data', passOver).on('error', () => {});
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
