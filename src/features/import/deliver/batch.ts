import type { Reject } from '../record/reject.ts';

/** A range of an input and its records, ready for one request. */
export interface Batch {
  /** Index of the input among those of the import. */
  readonly file: number;
  /** The bytes of the decompressed input that the batch covers, rejected and blank lines included. */
  readonly start: number;
  readonly end: number;
  readonly firstLine: number;
  readonly lastLine: number;
  /** The request body, `{"events":[…]}`. */
  readonly body: Buffer;
  readonly records: RecordTable;
  /** Records of the range that failed validation. */
  readonly rejects: Reject[];
  /** What an earlier run of this import recorded about the same range. */
  readonly checkpoint: Checkpoint | undefined;
}

/** The number of records of a batch, including invalid ones. */
export function sizeOf(batch: Batch): number {
  return batch.records.count + batch.rejects.length;
}

/** The input differs from what an earlier run of this import read. */
export class InputChanged extends Error {
  constructor(file: number, offset: number) {
    super(`Input ${file + 1} differs at byte ${offset} from what the unfinished import has sent.`);
    this.name = 'InputChanged';
  }
}

/** The position of each record of a batch in its body and in the input. */
export class RecordTable {
  count = 0;
  readonly start: Int32Array;
  readonly end: Int32Array;
  readonly line: Float64Array;
  readonly offset: Float64Array;
  /** The input that a record of a rejects file came from; same index. */
  readonly files: (string | undefined)[] = [];
  /** The record as it was read, or what makes it of its offset, if the body holds a converted one; same index. */
  readonly raws: (string | ((offset: number) => string) | undefined)[] = [];

  constructor(size: number) {
    this.start = new Int32Array(size);
    this.end = new Int32Array(size);
    this.line = new Float64Array(size);
    this.offset = new Float64Array(size);
  }

  /** Returns the record as it stands in the input. */
  raw(index: number, body: Buffer): string {
    const raw = this.raws[index] ?? body.toString('utf8', this.start[index], this.end[index]).trimEnd();
    return typeof raw === 'string' ? raw : raw(this.offset[index]!);
  }
}

/** A batch of an earlier run of the same import. */
export interface Checkpoint {
  readonly file: number;
  readonly start: number;
  readonly end: number;
  /** Hex SHA-256 of its body. */
  readonly digest: string;
  /** It was accepted by the service, or rejected. */
  readonly acknowledged: boolean;
  /** It was sent, and the service may have accepted it. */
  readonly ambiguous: boolean;
}
