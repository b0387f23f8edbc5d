import type { ByteSource } from '../input/bytes.ts';
import { Window } from '../input/window.ts';
import { CsvReader } from './csv/csv-reader.ts';
import { JsonReader } from './json/json-reader.ts';
import { NdjsonReader } from './ndjson-reader.ts';
import type { Input, OpenOptions } from './open.ts';
import { type RecordReader, type RecordSource, type RecordsOptions, recordsIn } from './record-source.ts';
import { RejectsRecords } from './rejects.ts';

const SMALLEST_BLOCK = 4096;

/** Reads the records of an input from `source`, which starts at the offset `start`. */
export async function recordsOf(
  input: Input,
  source: ByteSource,
  start: number,
  options: RecordsOptions & { readonly openOptions: OpenOptions },
): Promise<RecordSource> {
  if (input.format === 'parquet') {
    // Loaded only for such a file: the decoder is large.
    const { ParquetRecords } = await import('./parquet/parquet-records.ts');
    return ParquetRecords.open({ file: input.handle!, size: input.size!, name: input.name, ...options });
  }
  // One byte more shows that it ends there.
  const block =
    input.unpackedSize === undefined ? undefined : Math.max(SMALLEST_BLOCK, input.unpackedSize + 1);
  const window = new Window(source, options.longest + 1, start, block);
  if (input.format !== 'rejects') return recordsIn(window, readerOf(input, options));
  const { openOptions } = options;
  return new RejectsRecords(window, input.name, {
    ...options,
    recordsOf: (origin, more) => recordsOf(origin, origin.bytes, 0, { ...more, openOptions }),
  });
}

function readerOf(input: Input, { mappers, reading, longest, onNotice }: RecordsOptions): RecordReader {
  const { rows, json, scan } = mappers();
  const { name: file, encoding } = input;
  if (input.format === 'csv') {
    const patient = input.fingerprint !== null;
    return new CsvReader({ file, rows, reading, encoding, longest, patient, onNotice });
  }
  if (input.format === 'json')
    return new JsonReader({ file, encoding, longest, map: json, scan, path: input.recordsAt, onNotice });
  return new NdjsonReader({ file, encoding, longest, map: json, scan });
}
