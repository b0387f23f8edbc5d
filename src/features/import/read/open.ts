import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describeFileProblem } from '../../../kit/file-trouble.ts';
import { shellPath } from '../../../kit/shell.ts';
import { InputError } from '../transform/input-error.ts';
import type { RecordKind } from '../transform/record-kind.ts';
import { type ByteSource, ChunkSource, PeekedSource } from './bytes.ts';
import { type Content, ContentHash } from './content.ts';
import { type Compression, compressionOf, decompressed } from './decompress.ts';
import { detectFormat, type Format } from './detect.ts';

/** Identifies a version of a file. */
interface Fingerprint {
  readonly size: number;
  readonly mtimeMs: number;
  readonly inode: number;
}

/** An open input whose compression and format are known. */
export interface Input {
  /** The name that the user typed; `-` is standard input. */
  readonly name: string;
  /** The absolute path; null for standard input. */
  readonly path: string | null;
  /** Null for a pipe. */
  readonly fingerprint: Fingerprint | null;
  readonly compression: Compression | undefined;
  readonly format: Format;
  /** The decompressed bytes. */
  readonly bytes: ByteSource;
  /** Bytes read from the file so far, before decompression. */
  taken(): number;
  /** Hex SHA-256 of those bytes. */
  sha256(): string;
  /** Describes the decompressed bytes read so far. */
  content(): Content;
  /** Returns whether the file changed since it was opened. */
  changed(): Promise<boolean>;
  close(): Promise<void>;
}

/** Opens a FIFO or a terminal; resolves to undefined for any other file. */
export type OpenPipe = (path: string) => Promise<AsyncIterable<Uint8Array> | undefined>;

export interface OpenOptions {
  /** Used in the suggested commands. */
  readonly kind: RecordKind;
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly openPipe?: OpenPipe | undefined;
  readonly format?: Format | undefined;
  /** The folder that relative paths refer to. */
  readonly cwd: string;
}

const HEAD = 64 * 1024;

/**
 * Opens a file, or standard input for `-`. Detects the compression by content, and the format by extension or content.
 * A regular file is read up to its size when it was opened, so that a growing file yields the same records again.
 */
export async function openInput(name: string, options: OpenOptions): Promise<Input> {
  if (name === '-') return inspect(name, null, null, new ChunkSource(options.stdin), undefined, options);
  const path = resolve(options.cwd, name);
  let pipe: AsyncIterable<Uint8Array> | undefined;
  let file: FileHandle | undefined;
  try {
    pipe = await options.openPipe?.(path);
    if (!pipe) file = await open(path, 'r');
  } catch (error) {
    const { message, hint } = describeFileProblem(name, error);
    throw new InputError(message, hint, { cause: error });
  }
  if (!file) return inspect(name, path, null, new ChunkSource(pipe!), undefined, options);
  try {
    const stat = await file.stat();
    if (stat.isDirectory())
      throw new InputError(
        describeFileProblem(name, { code: 'EISDIR' }).message,
        `svc ${options.kind} import ${shellPath(name.replace(/\/+$/, ''))}/*.ndjson`,
      );
    const fingerprint = stat.isFile() ? { size: stat.size, mtimeMs: stat.mtimeMs, inode: stat.ino } : null;
    const source = fileSource(name, file, fingerprint?.size ?? Number.POSITIVE_INFINITY);
    return await inspect(name, path, fingerprint, source, file, options);
  } catch (error) {
    await file.close();
    throw error;
  }
}

function fileSource(name: string, file: FileHandle, size: number): ByteSource {
  const regular = Number.isFinite(size);
  let position = 0;
  return {
    async read(into, at, length) {
      const wanted = Math.min(length, size - position);
      if (wanted <= 0) return 0;
      const { bytesRead } = await file.read(into, at, wanted, regular ? position : null);
      if (bytesRead === 0 && regular)
        throw new InputError(
          `${name} was truncated while it was read (${position} of ${size} bytes).`,
          'Nothing after that position was sent. Import the file again when it no longer changes.',
        );
      position += bytesRead;
      return bytesRead;
    },
    close: async () => undefined,
  };
}

/** Counts and hashes the bytes that are read through it. */
class HashingSource implements ByteSource {
  readonly hash = new ContentHash();
  ended = false;
  private readonly source: ByteSource;

  constructor(source: ByteSource) {
    this.source = source;
  }

  async read(into: Buffer, at: number, length: number): Promise<number> {
    const count = await this.source.read(into, at, length);
    this.hash.update(into.subarray(at, at + count));
    this.ended ||= count === 0 && length > 0;
    return count;
  }

  close(): Promise<void> {
    return this.source.close();
  }
}

async function inspect(
  name: string,
  path: string | null,
  fingerprint: Fingerprint | null,
  source: ByteSource,
  file: FileHandle | undefined,
  options: OpenOptions,
): Promise<Input> {
  const hashed = new HashingSource(source);
  const shown = name === '-' ? 'standard input' : name;
  const first = await headOf(hashed, 4);
  const compression = compressionOf(first.head);
  if (!compression && first.head.length > 0 && /\.(gz|zst)$/i.test(name))
    throw new InputError(`${name} is not compressed, despite its name.`, `file ${shellPath(name)}`);
  const unpacked = compression
    ? new HashingSource(decompressed(first.source, compression, shown))
    : undefined;
  const second = await headOf(unpacked ?? first.source, 1);
  const format = options.format ?? detectFormat(name, second.head);
  if (options.format) detectFormat(`input.${options.format}`, second.head);
  return {
    name,
    path,
    fingerprint,
    compression,
    format,
    bytes: second.source,
    taken: () => hashed.hash.length,
    sha256: () => hashed.hash.digest(),
    content() {
      const { hash, ended } = unpacked ?? hashed;
      return hash.content(ended);
    },
    async changed() {
      if (!file || !fingerprint) return false;
      const now = await file.stat();
      return now.size !== fingerprint.size || now.mtimeMs !== fingerprint.mtimeMs;
    },
    async close() {
      await second.source.close();
      await file?.close();
    },
  };
}

/** Reads the available bytes, at least `least` unless the source ends, without waiting for more from a slow pipe. */
async function headOf(source: ByteSource, least: number): Promise<{ head: Buffer; source: ByteSource }> {
  const buffer = Buffer.allocUnsafe(HEAD);
  let length = 0;
  while (length < least) {
    const count = await source.read(buffer, length, HEAD - length);
    if (count === 0) break;
    length += count;
  }
  const head = buffer.subarray(0, length);
  return { head, source: new PeekedSource(head, source) };
}
