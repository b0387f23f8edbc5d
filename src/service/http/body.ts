import type { IncomingMessage } from 'node:http';
import { gunzip } from 'node:zlib';
import { ServiceError } from '../../contract/errors.ts';
import { MAX_BODY_BYTES } from '../../contract/limits.ts';

/** Chunks up to this size are copied, so that they do not retain the larger buffer they were read into. */
const SMALL = 8 * 1024;
const BLOCK = 64 * 1024;
const MIB = 1024 * 1024;
/** Chunks allowed per body: a fixed number, plus one for every 32 bytes. The client decides on the chunk sizes. */
const MAX_CHUNKS = 10_000;
const BYTES_PER_CHUNK = 32;
const tooManyChunks = (chunks: number, bytes: number) => chunks > MAX_CHUNKS + bytes / BYTES_PER_CHUNK;

/**
 * Reads the body of a request, at most `limit` bytes (8 MiB) as sent and after decompression. The rest of a rejected body stays in the
 * request, for the server to discard (see discardRest).
 * Throws payload_too_large, unsupported_media_type (an encoding other than gzip) or invalid_request (broken gzip).
 */
export async function readBody(request: IncomingMessage, limit = MAX_BODY_BYTES): Promise<Buffer> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding !== 'identity' && encoding !== 'gzip') {
    throw new ServiceError(
      'unsupported_media_type',
      `The content encoding ${JSON.stringify(encoding)} is not supported: send gzip or none.`,
    );
  }
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  const sent = await gather(request, limit);
  return encoding === 'gzip' ? gunzipped(sent, limit) : sent;
}

function gunzipped(sent: Buffer, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    gunzip(sent, { maxOutputLength: limit, chunkSize: BLOCK }, (error, inflated) => {
      if (!error) resolve(inflated);
      else if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') reject(tooLarge(limit));
      else reject(unreadable('is not valid gzip'));
    });
  });
}

/** Collects a body. Not with `for await`: leaving such a loop destroys the stream, and with it the socket. */
function gather(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const blocks: Buffer[] = [];
    let open = Buffer.alloc(0);
    let used = 0;
    let bytes = 0;
    let chunks = 0;
    const settle = (resolveOrReject: () => void) => {
      request.off('data', onChunk).off('end', end).off('error', fail).off('close', fail);
      // A later error without a listener would end the process.
      request.on('error', () => {});
      resolveOrReject();
      // The closures of the listeners would keep up to 8 MiB until the request is released.
      blocks.length = 0;
    };
    const closeBlock = () => {
      if (used > 0) blocks.push(open.subarray(0, used));
      open = open.subarray(used);
      used = 0;
    };
    const append = (chunk: Buffer) => {
      if (chunk.length > SMALL || chunk.length > open.length - used) closeBlock();
      if (chunk.length > SMALL) return void blocks.push(chunk);
      if (chunk.length > open.length) open = Buffer.allocUnsafeSlow(BLOCK);
      used += chunk.copy(open, used);
    };
    const onChunk = (chunk: Buffer) => {
      bytes += chunk.length;
      chunks++;
      if (bytes > limit) settle(() => reject(tooLarge(limit)));
      else if (tooManyChunks(chunks, bytes)) settle(() => reject(unreadable('comes in too many pieces')));
      else append(chunk);
    };
    const end = () => {
      closeBlock();
      settle(() => resolve(blocks.length === 1 ? blocks[0]! : Buffer.concat(blocks, bytes)));
    };
    const fail = () => settle(() => reject(unreadable('was cut short')));
    request.on('data', onChunk).on('end', end).on('error', fail).on('close', fail);
  });
}

function tooLarge(limit: number): ServiceError {
  const size = limit < MIB ? `${limit / 1024} KiB` : `${limit / MIB} MiB`;
  return new ServiceError('payload_too_large', `The body is larger than ${size}.`);
}

function unreadable(message: string): ServiceError {
  return new ServiceError('invalid_request', 'The body could not be read.', [{ field: 'body', message }]);
}

/** Limits of discarding a rejected body: bytes and time. */
const MAX_DISCARDED = 256 * 1024 * 1024;
const MAX_DISCARD_MS = 30_000;

/** Bytes discarded before a pause of one ms per body being discarded, so that other requests proceed. */
const DISCARDED_PER_PAUSE = 256 * 1024;

/** Number of bodies being discarded now. */
let discarding = 0;

/**
 * Discards the unread rest of a body. A client that is still sending when its connection closes loses the answer, and
 * on a connection that stays open the rest would be parsed as the next request. All bodies together are discarded at
 * 256 KiB per millisecond, so that they take little time from other requests. The connection of a body that is too
 * long, too slow or in too many chunks is closed. Resolves when the answer can be sent: at once, or after the rest if
 * the connection ends with the answer.
 */
export function discardRest(request: IncomingMessage): Promise<void> | undefined {
  if (request.complete && request.readableLength === 0) return undefined;
  discarding++;
  const discarded = new Promise<void>((resolve) => {
    let bytes = 0;
    let chunks = 0;
    let sincePause = 0;
    const giveUp = () => {
      request.off('data', onChunk).pause();
      resolve();
      // After the answer that waits for this promise.
      setImmediate(() => request.socket.destroySoon());
    };
    const timer = setTimeout(giveUp, MAX_DISCARD_MS).unref();
    const onChunk = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_DISCARDED || tooManyChunks(++chunks, bytes)) return giveUp();
      sincePause += chunk.length;
      if (sincePause < DISCARDED_PER_PAUSE) return;
      sincePause = 0;
      request.pause();
      setTimeout(() => request.resume(), discarding);
    };
    request.on('data', onChunk).on('error', () => {});
    request.once('end', resolve);
    request.once('close', () => {
      discarding--;
      clearTimeout(timer);
      resolve();
    });
    request.resume();
  });
  return endsWithAnswer(request) ? discarded : undefined;
}

function endsWithAnswer({ headers, httpVersion }: IncomingMessage): boolean {
  const connection = headers.connection?.toLowerCase() ?? '';
  return httpVersion === '1.0' ? !connection.includes('keep-alive') : connection.includes('close');
}
