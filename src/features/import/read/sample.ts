import { Batcher } from '../batch/batcher.ts';
import type { CellType, Mapping } from '../transform/mapping.ts';
import type { RecordMappers } from '../transform/record-mappers.ts';
import type { InputInfo } from './open.ts';
import type { RecordSource } from './record-source.ts';
import { breathe } from './stopped.ts';

/** Limits of a sample, whichever is reached first. */
export interface SampleLimits {
  readonly records: number;
  /** Decompressed bytes. */
  readonly bytes: number;
}

export const SAMPLE: SampleLimits = { records: 1000, bytes: 1024 * 1024 };

/** The first records of an input as they were read, before any mapping. */
export interface Sample {
  readonly input: InputInfo;
  /** The first lines that are not UTF-8 text. */
  readonly undecoded: Buffer;
  /** The names of the columns; undefined for JSON. */
  readonly header: readonly string[] | undefined;
  /** The text of the header of a CSV. */
  readonly headerText?: string | undefined;
  readonly delimiter: string | undefined;
  /** The types that a Parquet file gives its columns. */
  readonly types?: ReadonlyMap<string, CellType> | undefined;
  /** The cells of each row of a table; empty for JSON. */
  readonly rows: readonly (readonly string[])[];
  /** The text of each JSON record; empty for a table. */
  readonly texts: readonly string[];
  /** Records that were read, with those that have no readable form, such as invalid UTF-8. */
  readonly records: number;
  /** Decompressed bytes of those records. */
  readonly bytes: number;
  /** Those bytes as they are in the file. */
  readonly taken: number;
  /** The sample is the whole input. */
  readonly whole: boolean;
}

/** Mappers that collect records and map them to nothing. */
export class SampleMappers implements RecordMappers {
  header: readonly string[] | undefined;
  readonly rowsRead: string[][] = [];
  readonly texts: string[] = [];
  readonly scan = undefined;
  readonly json: RecordMappers['json'] = (text) => {
    this.texts.push(text);
    return { text: '{}' };
  };
  readonly rows: RecordMappers['rows'] = (header) => {
    this.header = header;
    return {
      notices: [],
      record: (cells) => {
        this.rowsRead.push(cells);
        return { text: '{}', errors: [] };
      },
    };
  };
}

/** The mapping of a sample: nothing is validated but the form of a record. */
export function sampleMapping(mapping: Mapping): Mapping {
  return { ...mapping, validate: false };
}

/** Reads records until a limit or the end is reached, or `bytesReady`, where a pipe has no more for now. */
export async function readRecords(
  source: RecordSource,
  { kind, limits, bytesReady }: { kind: Mapping['kind']; limits: SampleLimits; bytesReady: number },
  file: number,
): Promise<{ records: number; bytes: number; whole: boolean }> {
  const batcher = new Batcher({ kind, size: limits.records, limit: limits.records });
  batcher.nextFile(file, source.position);
  for (;;) {
    source.drain(batcher);
    const paused = batcher.full;
    while (batcher.take());
    await breathe();
    if (paused && !batcher.done) continue;
    if (batcher.done || source.ended || source.position >= limits.bytes) break;
    if (source.readUntil >= bytesReady) break;
    batcher.flushPending();
    await source.more();
  }
  const whole = source.ended && source.position >= source.readUntil;
  return { records: batcher.read, bytes: source.position, whole };
}
