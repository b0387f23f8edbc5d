import type { Batch } from '../../src/features/import/deliver/batch.ts';
import { Batcher, type BatcherOptions } from '../../src/features/import/deliver/batcher.ts';
import { longestRecord } from '../../src/features/import/deliver/request-body.ts';
import { CsvReader } from '../../src/features/import/formats/csv/csv-reader.ts';
import { JsonReader } from '../../src/features/import/formats/json/json-reader.ts';
import { NdjsonReader } from '../../src/features/import/formats/ndjson-reader.ts';
import type { Reading } from '../../src/features/import/formats/reading.ts';
import type { MadeRecord, RowMapper } from '../../src/features/import/formats/record-mappers.ts';
import { recordsIn as windowed } from '../../src/features/import/formats/record-source.ts';
import type { ByteSource } from '../../src/features/import/input/bytes.ts';
import { Window } from '../../src/features/import/input/window.ts';
import { parseRule } from '../../src/features/import/mapping/map-rules.ts';
import type { Mapping } from '../../src/features/import/mapping/mapping.ts';
import { recordMappers } from '../../src/features/import/mapping/record-mappers.ts';
import type { Reject } from '../../src/features/import/record/reject.ts';
import type { Shard } from '../../src/features/import/record/shard.ts';
import { batchesOf } from '../../src/features/import/run/batches.ts';
import { systemClock } from '../../src/kit/clock.ts';

export interface CollectOptions extends Partial<Omit<Mapping, 'map' | 'set' | 'types'>> {
  readonly map?: Record<string, string>;
  readonly set?: Record<string, string>;
  readonly types?: Record<string, 'string' | 'number' | 'boolean'>;
  readonly csv?: boolean;
  readonly reading?: Reading;
  /** Reads JSON of any shape, with the records at this path. */
  readonly json?: readonly string[];
  /** How the input is cut into reads, in bytes. */
  readonly chunk?: number;
  readonly longest?: number;
  readonly batcher?: Partial<BatcherOptions>;
  readonly deal?: Shard;
  /** Replaces the mapper of the rows of a table. */
  readonly rows?: (rows: RowMapper) => RowMapper;
}

export interface Collected {
  readonly records: string[];
  readonly rejects: Reject[];
  readonly batches: Batch[];
  readonly notices: string[];
  readonly read: number;
  /** Records that `--where` left out. */
  readonly filtered: number;
}

/** Runs the reading half of an import over bytes. `map` is field to column, as `--map` has it. */
export async function collect(input: string | Buffer, options: CollectOptions = {}): Promise<Collected> {
  const bytes = Buffer.from(input);
  const {
    csv,
    reading = {},
    json: path,
    chunk = 1 << 20,
    longest = longestRecord('events'),
    batcher: more,
    deal,
  } = options;
  const mapping: Mapping = {
    kind: 'events',
    convert: undefined,
    extraFields: undefined,
    validate: true,
    ...options,
    map: Object.entries(options.map ?? {}).map(([field, columns]) => parseRule(`${field}=${columns}`)!),
    set: new Map(Object.entries(options.set ?? {})),
    types: new Map(Object.entries(options.types ?? {})),
  };
  const notices: string[] = [];
  const batcher = new Batcher({ kind: mapping.kind, size: 1000, ...more });
  batcher.nextFile(0, 0, deal);
  const file = csv ? 'a.csv' : path ? 'a.json' : 'a.ndjson';
  const onNotice = (text: string) => notices.push(text);
  const { rows: plainRows, json, scan } = recordMappers(mapping)();
  const rows: typeof plainRows = (header, name) => {
    const mapper = plainRows(header, name);
    return options.rows?.(mapper) ?? mapper;
  };
  const reader = csv
    ? new CsvReader({ file, rows, reading, longest, onNotice })
    : path
      ? new JsonReader({ file, longest, map: json, scan, path, onNotice })
      : new NdjsonReader({ file, longest, map: json, scan });
  const window = new Window(sourceOf(bytes, chunk), longest + 1, 0, 256);
  const flush = { clock: systemClock, interval: undefined, signal: new AbortController().signal };
  const batches: Batch[] = [];
  for await (const batch of batchesOf(windowed(window, reader), batcher, flush)) batches.push(batch);
  return {
    records: batches.flatMap(recordsOf),
    rejects: batches.flatMap((batch) => batch.rejects),
    batches,
    notices,
    read: batcher.read,
    filtered: batcher.filtered,
  };
}

/** Gives `bytes` in reads of at most `chunk`. */
export function sourceOf(bytes: Buffer, chunk: number): ByteSource {
  let at = 0;
  return {
    async read(into, position, length) {
      const count = bytes.copy(into, position, at, Math.min(at + Math.min(length, chunk), bytes.length));
      at += count;
      return count;
    },
    close: async () => undefined,
  };
}

/** The text of each record, from the table; proves that the body is the array of exactly these. */
function recordsOf({ body, records }: Batch): string[] {
  const texts = Array.from({ length: records.count }, (_, index) =>
    body.toString('utf8', records.start[index], records.end[index]),
  );
  if (body.toString() !== `{"events":[${texts.join(',')}]}`)
    throw new Error(`table and body differ: ${body}`);
  return texts;
}

/** The JSON of a record that a mapper made; anything else as it is. */
// biome-ignore lint/suspicious/noExplicitAny: JSON of any form.
export function madeJson(mapped: object): any {
  if (!('bytes' in mapped)) return mapped;
  const { bytes, length } = mapped as MadeRecord;
  return JSON.parse(bytes.toString('utf8', 0, length));
}
