import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describeFileProblem } from '../../../kit/files/file-trouble.ts';
import { shell, shellPath } from '../../../kit/shell.ts';
import type { Source } from '../input/archive/files-in.ts';
import { isZip } from '../input/archive/zip.ts';
import { type ZipContent, zipContent } from '../input/archive/zip-content.ts';
import { type ByteSource, ChunkSource } from '../input/bytes.ts';
import { ContentHash } from '../input/content.ts';
import { type Compression, compressionOf, decompressed } from '../input/decompress.ts';
import { markedEncoding, transcoded } from '../input/encoding.ts';
import { Head } from '../input/head.ts';
import { InputError } from '../input/input-error.ts';
import { stoppable } from '../input/stopped.ts';
import type { Content } from '../record/content.ts';
import { type Detected, detectFormat } from './detect.ts';
import type { Format, Reading } from './reading.ts';

/** Identifies a version of a file. */
interface Fingerprint {
  readonly size: number;
  readonly mtimeMs: number;
  readonly inode: number;
}

/** What is known of an input once its beginning was read. */
export interface InputInfo {
  /** The name that the user typed; `-` is standard input. */
  readonly name: string;
  /** The absolute path; null for standard input. */
  readonly path: string | null;
  /** Null for a pipe. */
  readonly fingerprint: Fingerprint | null;
  /** What was opened. */
  readonly source: Source;
  /** Bytes that are to be read of the file; undefined for a pipe. */
  readonly size: number | undefined;
  readonly compression: Compression | undefined;
  readonly format: Format;
  /** JSON: the names that lead to the array of records. */
  readonly recordsAt: readonly string[];
  /** The array of records was found, not named by the user. */
  readonly recordsFound: boolean;
  /** As `TextDecoder` names it. */
  readonly encoding: string;
}

/** An open input. It holds buffers: of many inputs, only one is open at a time. */
export interface Input extends InputInfo {
  /** What remains of it after it was closed. */
  readonly info: InputInfo;
  /** The beginning of the text. */
  readonly head: Buffer;
  /** Bytes of the text, where that is known before it is read. */
  readonly unpackedSize: number | undefined;
  /** The open file; undefined for a pipe. */
  readonly handle: FileHandle | undefined;
  /** The decompressed bytes, as UTF-8; of Parquet, the file. */
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
  /** Names of a record, by which it is told from an object around records. */
  readonly fields: ReadonlySet<string>;
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly openPipe?: OpenPipe | undefined;
  /** Ends the reading of a file with Stopped. */
  readonly stop?: AbortSignal;
  /** The folder that relative paths refer to. */
  readonly cwd: string;
  readonly reading: Reading;
}

const HEAD = 64 * 1024;
const UTF_8 = 'utf-8';
const PARQUET = Buffer.from('PAR1');
/** How a rejects file starts, which is UTF-8 whatever its records were. */
const REJECTS = Buffer.from('{"file":');

/**
 * Opens a file, an entry of a zip archive, or standard input for `-`. Detects the compression by content, and the format
 * by extension or content. A regular file is read up to its size when it was opened, so that a growing file yields the
 * same records again.
 */
export async function openInput(source: Source | string, options: OpenOptions): Promise<Input> {
  const given = typeof source === 'string' ? { name: source, file: source } : source;
  const { file: name, entry } = given;
  if (name === '-')
    return inspect({ given, path: null, fingerprint: null, source: new ChunkSource(options.stdin) }, options);
  const path = resolve(options.cwd, name);
  let pipe: AsyncIterable<Uint8Array> | undefined;
  let file: FileHandle | undefined;
  try {
    pipe = await options.openPipe?.(path);
    if (!pipe) file = await open(path, 'r');
  } catch (error) {
    throw unreadable(name, error);
  }
  if (!file) return inspect({ given, path, fingerprint: null, source: new ChunkSource(pipe!) }, options);
  try {
    const stat = await file.stat();
    if (stat.isDirectory()) throw unreadable(name, { code: 'EISDIR' });
    const fingerprint = stat.isFile() ? { size: stat.size, mtimeMs: stat.mtimeMs, inode: stat.ino } : null;
    const zip = entry && (await zipContent(file, entry, name));
    const plain = zip?.bytes ?? fileSource(name, file, fingerprint?.size ?? Number.POSITIVE_INFINITY);
    const bytes = options.stop ? stoppable(plain, options.stop) : plain;
    return await inspect({ given, path, fingerprint, source: bytes, file, zip }, options);
  } catch (error) {
    await file.close();
    throw error;
  }
}

function unreadable(name: string, error: unknown): InputError {
  if (/^(https?|s3|gs|ftp):\/\//i.test(name)) {
    const fetch = /^(https?|ftp):/i.test(name)
      ? shell`curl -fsSL ${name}`
      : name.startsWith('s3')
        ? shell`aws s3 cp ${name} -`
        : shell`gsutil cat ${name}`;
    return new InputError(`${name} is an address, and only files can be read.`, fetch, {
      prepare: { by: fetch, name, makes: '-' },
    });
  }
  const { message, hint } = describeFileProblem(name, error);
  return new InputError(message, hint, { cause: error });
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

interface Opened {
  readonly given: Source;
  readonly path: string | null;
  readonly fingerprint: Fingerprint | null;
  readonly source: ByteSource;
  readonly file?: FileHandle | undefined;
  readonly zip?: ZipContent | undefined;
}

async function inspect(opened: Opened, options: OpenOptions): Promise<Input> {
  const { given, path, fingerprint, source, file, zip } = opened;
  const { name } = given;
  const typeName = given.typeName ?? name;
  const shown = name === '-' ? 'standard input' : name;
  const hashed = new HashingSource(source);
  const packed = new Head(hashed, HEAD);
  await packed.atLeast(4);
  const isParquet = packed.bytes.subarray(0, 4).equals(PARQUET);
  if ((isParquet || isZip(packed.bytes)) && (!file || zip)) throw notSeekable(given, isParquet);
  const compression = compressionOf(packed.bytes);
  if (!compression && packed.bytes.length > 0 && /\.(gz|zst)$/i.test(given.entry ? name : typeName))
    throw new InputError(`${name} is not compressed, despite its name.`, `file ${shellPath(given.file)}`);
  const { stop } = options;
  const unpacked = compression && new HashingSource(decompressed(packed, compression, shown, { stop }));
  const plain = new Head(unpacked ?? packed, HEAD);
  await plain.atLeast(REJECTS.length);
  const isRejects = plain.bytes.subarray(0, REJECTS.length).equals(REJECTS);
  const encoding = isRejects ? UTF_8 : (markedEncoding(plain.bytes) ?? options.reading.encoding ?? UTF_8);
  const decoded =
    encoding === UTF_8 || isParquet ? undefined : new HashingSource(transcoded(plain, encoding));
  const text = new Head(decoded ?? plain, HEAD);
  const detected = isParquet
    ? { format: 'parquet' as const }
    : await detect(given, text, options, printing(given, compression));
  const content = decoded ?? unpacked ?? hashed;
  const info: InputInfo = {
    name,
    path,
    source: given,
    fingerprint,
    size: fingerprint ? (given.entry?.compressedSize ?? fingerprint.size) : undefined,
    compression: zip ? 'zip' : compression,
    format: detected.format,
    recordsAt: detected.path ?? [],
    recordsFound: options.reading.records === undefined && (detected.path?.length ?? 0) > 0,
    encoding,
  };
  return {
    ...info,
    info,
    head: text.bytes,
    unpackedSize: compression || decoded ? undefined : (given.entry?.size ?? fingerprint?.size),
    handle: file,
    bytes: text,
    taken: () => zip?.taken() ?? hashed.hash.length,
    sha256: () => hashed.hash.digest(),
    content: () => content.hash.content(content.ended),
    async changed() {
      if (!file || !fingerprint) return false;
      const now = await file.stat();
      return now.size !== fingerprint.size || now.mtimeMs !== fingerprint.mtimeMs;
    },
    async close() {
      await text.close();
      await file?.close();
    },
  };
}

/** The command that prints the text of what is compressed or in an archive. */
function printing({ file, entry }: Source, compression: Compression | undefined): string | undefined {
  if (entry) return shell`unzip -p ${file} ${entry.name}`;
  return compression && `${compression === 'gzip' ? 'gzip' : 'zstd'} -dc ${shellPath(file)}`;
}

/** Detects the format, and reads as much more as that takes. */
async function detect(
  { name, typeName = name, entry }: Source,
  text: Head,
  options: OpenOptions,
  print: string | undefined,
): Promise<Detected> {
  const { reading, fields } = options;
  await text.atLeast(1);
  for (;;) {
    const known = text.ended ? 'all' : text.full ? 'decide' : 'more';
    const found = detectFormat(name, text.bytes, {
      ...{ reading, known, fields, print },
      typeName: entry ? name : typeName,
    });
    if (found) return found;
    await text.more();
  }
}

/** The error for a file that must be read from its end, in a pipe or an archive. */
function notSeekable({ name, file, entry }: Source, isParquet: boolean): InputError {
  const what = isParquet ? 'a Parquet file' : 'a zip archive';
  if (entry) {
    const out = entry.name.split('/').at(-1)!;
    const by = shell`unzip -p ${file} ${entry.name} > ${out}`;
    return new InputError(`${name} is ${what} in a zip archive.`, by, {
      prepare: { by, name: file, makes: out },
    });
  }
  const out = isParquet ? 'input.parquet' : 'input.zip';
  const by = file === '-' ? shell`cat > ${out}` : shell`cat ${file} > ${out}`;
  return new InputError(
    `${file === '-' ? 'standard input' : name} is ${what}, which cannot be read from a pipe.`,
    by,
    { prepare: { by, name: file, makes: out } },
  );
}
