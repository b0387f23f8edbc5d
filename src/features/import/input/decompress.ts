import { Readable } from 'node:stream';
import { createGunzip, createInflateRaw } from 'node:zlib';
import { Decompress } from 'fzstd';
import xxhash from 'xxhash-wasm';
import { shellPath } from '../../../kit/shell.ts';
import { type ByteSource, ChunkSource, chunksOf } from './bytes.ts';
import { InputError } from './input-error.ts';
import { breathe } from './stopped.ts';
import { MAX_WINDOW, ZstdFrames } from './zstd-frames.ts';

export type Compression = 'gzip' | 'zstd' | 'zip';

/** How a stream is compressed; `deflate` is that of a zip entry, without a header. */
type Method = 'gzip' | 'zstd' | 'deflate';

/** The ratio is limited for outputs above this size in bytes. */
const RATIO_FROM = 64 * 1024 * 1024;
/** Maximum compression ratio. Text does not reach it; the maximum of deflate is 1,032. */
const MAX_RATIO = 1000;

/** Blocks of zstd that are decompressed in one call. */
const BLOCKS_AT_ONCE = 16;

/** Detects the compression by the first bytes: RFC 1952 section 2.3.1, RFC 8878 section 3.1.1 (and its skippable frames). */
export function compressionOf(head: Uint8Array): 'gzip' | 'zstd' | undefined {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  if (head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd && head[0] === 0x28) return 'zstd';
  if (head[1] === 0x2a && head[2] === 0x4d && head[3] === 0x18 && (head[0]! & 0xf0) === 0x50) return 'zstd';
  return undefined;
}

export interface DecompressOptions {
  /** The ratio of output to input is limited for outputs above `from` bytes. */
  readonly limits?: { readonly from: number; readonly ratio: number };
  readonly stop?: AbortSignal | undefined;
}

/**
 * Decompresses a stream in constant memory. Throws an InputError for damaged or truncated data, and for data that expands
 * more than a thousandfold (a decompression bomb); Stopped once `stop` is aborted.
 */
export function decompressed(
  source: ByteSource,
  compression: Method,
  name: string,
  { stop, limits = { from: RATIO_FROM, ratio: MAX_RATIO } }: DecompressOptions = {},
): ByteSource {
  const counted = { taken: 0 };
  const packed = counting(chunksOf(source, 64 * 1024), counted);
  const plain = compression === 'zstd' ? unzstd(packed, name, stop) : inflated(packed, compression, name);
  const out = new ChunkSource(bounded(plain, counted, name, limits));
  return {
    read: (into, at, length) => out.read(into, at, length),
    async close() {
      await out.close();
      await source.close();
    },
  };
}

async function* counting(chunks: AsyncIterable<Buffer>, count: { taken: number }): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    count.taken += chunk.length;
    yield chunk;
  }
}

async function* bounded(
  chunks: AsyncIterable<Uint8Array>,
  count: { taken: number },
  name: string,
  limits: { from: number; ratio: number },
): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const chunk of chunks) {
    total += chunk.length;
    if (total > limits.from && total > count.taken * limits.ratio)
      throw new InputError(
        `${name} expands to more than ${limits.ratio} times its size and looks like a decompression bomb.`,
        'If it is not one, decompress it first and import the result.',
      );
    yield chunk;
  }
}

async function* inflated(
  packed: AsyncIterable<Buffer>,
  method: 'gzip' | 'deflate',
  name: string,
): AsyncGenerator<Buffer> {
  const input = Readable.from(packed, { objectMode: true, highWaterMark: 2 });
  const output = (method === 'gzip' ? createGunzip : createInflateRaw)({ chunkSize: 256 * 1024 });
  input.on('error', (error) => output.destroy(error));
  try {
    for await (const chunk of input.pipe(output)) yield chunk as Buffer;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (typeof code !== 'string' || !/^Z_/.test(code)) throw error;
    throw damaged(name, method, code === 'Z_BUF_ERROR' ? 'it is truncated' : (error as Error).message);
  } finally {
    input.destroy();
    output.destroy();
  }
}

async function* unzstd(
  packed: AsyncIterable<Buffer>,
  name: string,
  stop: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = [];
  const frames = new ZstdFrames();
  const content = await frameHash();
  const stream = new Decompress((chunk, final) => {
    if (final) return;
    content.block(chunk, frames);
    if (chunk.length > 0) ready.push(chunk.slice());
  });
  const verify = () => {
    if (!content.agrees(frames)) throw damaged(name, 'zstd', 'its checksum does not match');
  };
  for await (const chunk of packed) {
    // A block has up to 128 KiB, whatever it is compressed to: few are decompressed before the ratio is checked.
    for (let at = 0; at < chunk.length; ) {
      const end = frames.pushBlocks(chunk, at, BLOCKS_AT_ONCE);
      if (frames.window > MAX_WINDOW) throw largeWindow(name);
      pushTo(stream, chunk.subarray(at, end), false, name);
      at = end;
      yield* ready.splice(0);
      // A chunk may have thousands of frames without content, each of which takes a fraction of a millisecond.
      await breathe(stop);
    }
    verify();
  }
  pushTo(stream, new Uint8Array(0), true, name);
  yield* ready.splice(0);
  verify();
  if (!content.complete(frames)) throw damaged(name, 'zstd', 'it is truncated');
}

/** Computes the checksum of the content of each frame, which the decoder does not verify. */
async function frameHash() {
  const { create64 } = await xxhash();
  let hash = create64();
  const sums: number[] = [];
  return {
    /** Adds the content of the next block. */
    block(bytes: Uint8Array, frames: ZstdFrames): void {
      hash.update(bytes);
      const { last, checked } = frames.blocks.shift()!;
      if (!last) return;
      if (checked) sums.push(Number(hash.digest() & 0xffffffffn));
      hash = create64();
    },
    /** Compares the checksums known so far. */
    agrees({ checksums }: ZstdFrames): boolean {
      while (sums.length > 0 && checksums.length > 0) if (sums.shift() !== checksums.shift()) return false;
      return true;
    },
    complete: ({ blocks, checksums }: ZstdFrames) => blocks.length + checksums.length + sums.length === 0,
  };
}

function pushTo(stream: Decompress, chunk: Uint8Array, final: boolean, name: string): void {
  try {
    stream.push(chunk, final);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw damaged(name, 'zstd', /EOF/i.test(message) ? 'it is truncated' : message);
  }
}

function largeWindow(name: string): InputError {
  const by = `zstd -dc --long=31${name === '-' ? '' : ` ${shellPath(name)}`}`;
  return new InputError(
    `${name} was compressed with a window of more than 8 MiB (zstd --long or --ultra).`,
    by,
    { prepare: { by, name, makes: '-' } },
  );
}

function damaged(name: string, format: string, why: string): InputError {
  return new InputError(
    `${name} is damaged ${format} data: ${why}.`,
    'The records before the damage may have been sent. Get an intact copy of the file, then import it.',
  );
}
