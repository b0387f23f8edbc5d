import { longestRecord } from '../batch/request-body.ts';
import type { Mapping } from '../transform/mapping.ts';
import type { RecordMappers } from '../transform/record-mappers.ts';
import type { ByteSource } from './bytes.ts';
import { CsvReader } from './csv/csv-reader.ts';
import { JsonReader } from './json/json-reader.ts';
import { NdjsonReader } from './ndjson-reader.ts';
import type { Input } from './open.ts';
import type { Reading } from './reading.ts';
import { type RecordReader, type RecordSource, recordsIn } from './record-source.ts';
import { Window } from './window.ts';

const SMALLEST_BLOCK = 4096;

export interface RecordsOptions {
  readonly mapping: Mapping;
  /** Makes the mappers of the records; Parquet adds the types of its columns to the mapping. */
  readonly mappers: (mapping: Mapping) => RecordMappers;
  readonly reading: Reading | undefined;
  readonly onNotice: (text: string) => void;
}

/** Reads the records of an input from `source`, which starts at the offset `start`. */
export async function recordsOf(
  input: Input,
  source: ByteSource,
  start: number,
  options: RecordsOptions,
): Promise<RecordSource> {
  if (input.format === 'parquet') {
    // Loaded only for such a file: the decoder is large.
    const { ParquetRecords } = await import('./parquet/parquet-records.ts');
    return ParquetRecords.open({ file: input.handle!, size: input.size!, name: input.name, ...options });
  }
  // One byte more shows that it ends there.
  const block =
    input.unpackedSize === undefined ? undefined : Math.max(SMALLEST_BLOCK, input.unpackedSize + 1);
  const window = new Window(source, longestRecord(options.mapping.kind) + 1, start, block);
  return recordsIn(window, readerOf(input, options));
}

function readerOf(input: Input, { mapping, mappers, reading, onNotice }: RecordsOptions): RecordReader {
  const { rows, json, scan } = mappers(mapping);
  const longest = longestRecord(mapping.kind);
  const { name: file, encoding } = input;
  if (input.format === 'csv')
    return new CsvReader({ file, mapping, rows, reading, encoding, longest, onNotice });
  if (input.format === 'json')
    return new JsonReader({ file, encoding, longest, map: json, scan, path: input.recordsAt, onNotice });
  return new NdjsonReader({ file, encoding, longest, map: json, scan });
}
