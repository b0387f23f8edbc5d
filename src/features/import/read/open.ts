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

/** What tells one state of a file from another. Null for a pipe, which is known by what it delivers only. */
export interface Fingerprint {
  readonly size: number;
  readonly mtimeMs: number;
  readonly inode: number;
}

/** An input that is open and looked at. */
export interface Input {
  /** As the user named it; `-` is standard input. */
  readonly name: string;
  /** The absolute path; null for standard input. */
  readonly path: string | null;
  readonly fingerprint: Fingerprint | null;
  readonly compression: Compression | undefined;
  readonly format: Format;
  /** The decompressed bytes. */
  readonly bytes: ByteSource;
  /** Bytes of the file itself taken so far: what progress is measured by. */
  taken(): number;
  /** Hex SHA-256 of the bytes taken so far, as the file holds them. */
  sha256(): string;
  /** What was read so far, decompressed. */
  content(): Content;
  /** Compares the file with what it was when it was opened. */
  changed(): Promise<boolean>;
  close(): Promise<void>;
}

/** The stream of a FIFO or a terminal; undefined for any other file. */
export type OpenPipe = (path: string) => Promise<AsyncIterable<Uint8Array> | undefined>;

export interface OpenOptions {
  /** Whose command the next step names. */
  readonly kind: RecordKind;
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly openPipe?: OpenPipe | undefined;
  readonly format?: Format | undefined;
  /** What relative paths are relative to. */
  readonly cwd: string;
}

const HEAD = 64 * 1024;

/**
 * Opens a file, or standard input for `-`: finds compression by content and the format by extension or content.
 * A regular file is read as far as it went when it was opened, so that a growing one gives the same records again.
 */
export async function openInput(name: string, options: OpenOptions): Promise<Input> {
  if (name === '-') return look(name, null, null, new ChunkSource(options.stdin), undefined, options);
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
  if (!file) return look(name, path, null, new ChunkSource(pipe!), undefined, options);
  try {
    const stat = await file.stat();
    if (stat.isDirectory())
      throw new InputError(
        describeFileProblem(name, { code: 'EISDIR' }).message,
        `svc ${options.kind} import ${shellPath(name.replace(/\/+$/, ''))}/*.ndjson`,
      );
    const fingerprint = stat.isFile() ? { size: stat.size, mtimeMs: stat.mtimeMs, inode: stat.ino } : null;
    const source = fileSource(name, file, fingerprint?.size ?? Number.POSITIVE_INFINITY);
    return await look(name, path, fingerprint, source, file, options);
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
          `${name} became shorter while it was read (${position} of ${size} bytes).`,
          'Nothing behind that place was sent. Import the file again when nobody writes it.',
        );
      position += bytesRead;
      return bytesRead;
    },
    close: async () => undefined,
  };
}

/** Counts and hashes what passes. */
class Tally implements ByteSource {
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

async function look(
  name: string,
  path: string | null,
  fingerprint: Fingerprint | null,
  source: ByteSource,
  file: FileHandle | undefined,
  options: OpenOptions,
): Promise<Input> {
  const counters = new Tally(source);
  const shown = name === '-' ? 'standard input' : name;
  const first = await headOf(counters, 4);
  const compression = compressionOf(first.head);
  if (!compression && first.head.length > 0 && /\.(gz|zst)$/i.test(name))
    throw new InputError(`${name} is not compressed, whatever its name says.`, `file ${shellPath(name)}`);
  const unpacked = compression ? new Tally(decompressed(first.source, compression, shown)) : undefined;
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
    taken: () => counters.hash.length,
    sha256: () => counters.hash.digest(),
    content() {
      const { hash, ended } = unpacked ?? counters;
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

/** Takes what is there, at least `least` bytes unless the source ends before: a slow pipe must not be waited for. */
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
