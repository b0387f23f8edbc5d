import type { FileHandle } from 'node:fs/promises';
import { type FileMetaData, parquetMetadata, type SchemaElement } from 'hyparquet';
import { thriftEnd } from './thrift-check.ts';

/** The largest metadata that are read, in bytes. */
const MAX_METADATA = 64 * 1024 * 1024;
/** Columns with values. Each needs some 20 KB while it is read. */
const MAX_COLUMNS = 6000;
/** Columns inside each other. */
const MAX_DEPTH = 32;
/** Digits after the point of a decimal. Parquet has no larger type than 76 digits in practice. */
const MAX_SCALE = 1000;
const MAGIC = 'PAR1';
/** The length of the metadata and the magic number after them. */
const TAIL = 8;

const damaged = () => new Error('its metadata are damaged');

/** Reads the metadata at the end of a file. Throws for metadata whose counts and lengths cannot be true. */
export async function readMetadata(file: FileHandle, size: number): Promise<FileMetaData> {
  if (size < MAGIC.length + TAIL) throw new Error('the file is truncated');
  const tail = await bytesAt(file, size - TAIL, TAIL);
  if (tail.toString('latin1', 4) !== MAGIC) throw new Error('the file is truncated: it does not end in PAR1');
  const length = tail.readUInt32LE(0);
  if (length > Math.min(size - MAGIC.length - TAIL, MAX_METADATA)) throw damaged();
  const bytes = await bytesAt(file, size - TAIL - length, length + TAIL);
  if (thriftEnd(bytes) > length) throw damaged();
  // The search for columns of GeoParquet does not end for a tree that is not one; their values have no text anyway.
  const metadata = parquetMetadata(bytes, { geoparquet: false });
  checkSchema(metadata.schema);
  let rows = 0;
  for (const group of metadata.row_groups) {
    const count = Number(group.num_rows);
    if (!(Number.isSafeInteger(count) && count >= 0)) throw damaged();
    rows += count;
  }
  // Some writers leave the rows of the file at 0.
  if (Number(metadata.num_rows) !== 0 && rows !== Number(metadata.num_rows))
    throw new Error('its row groups do not have the rows of the file');
  return metadata;
}

/** Checks that the elements are a tree with names and types that fit. */
function checkSchema(schema: readonly SchemaElement[]): void {
  let at = 0;
  let columns = 0;
  const walk = (depth: number): string => {
    const element = schema[at];
    if (!element || depth > MAX_DEPTH || typeof element.name !== 'string') throw damaged();
    at++;
    const count = element.num_children ?? 0;
    if (!(Number.isInteger(count) && count >= 0)) throw damaged();
    if (count === 0) {
      checkLeaf(element);
      if (++columns > MAX_COLUMNS) throw new Error(`it has more than ${MAX_COLUMNS} columns`);
    }
    if (depth > 0 && !element.repetition_type) throw damaged();
    const names = new Set<string>();
    for (let i = 0; i < count; i++) names.add(walk(depth + 1));
    if (names.size < count) throw new Error('two of its columns have the same name');
    return element.name;
  };
  walk(0);
  if (at !== schema.length) throw damaged();
}

const BYTES = /BYTE_ARRAY$/;
/** The types that the values of an annotation are stored in. */
const STORED: Partial<Record<string, RegExp>> = {
  UTF8: BYTES,
  STRING: BYTES,
  DECIMAL: /^INT(32|64)$|BYTE_ARRAY$/,
  DATE: /^INT32$/,
  TIME: /^INT(32|64)$/,
  TIME_MILLIS: /^INT(32|64)$/,
  TIME_MICROS: /^INT(32|64)$/,
  TIMESTAMP: /^INT64$/,
  TIMESTAMP_MILLIS: /^INT64$/,
  TIMESTAMP_MICROS: /^INT64$/,
};

function checkLeaf({ type, converted_type: converted, logical_type: logical, scale }: SchemaElement): void {
  if (!type) throw damaged();
  for (const annotation of [converted, logical?.type])
    if (annotation && STORED[annotation]?.test(type) === false) throw damaged();
  if (scale !== undefined && !(scale >= 0 && scale <= MAX_SCALE)) throw damaged();
}

async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(bytes, done, length - done, position + done);
    if (bytesRead === 0) throw new Error('the file is truncated');
    done += bytesRead;
  }
  return bytes;
}
