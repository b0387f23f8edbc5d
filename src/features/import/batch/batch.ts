import type { Reject } from '../report/reject.ts';

/** A range of one input, and the records in it, ready for one request. */
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
  /** Records of the range that did not pass the check. */
  readonly rejects: Reject[];
  /** What an earlier run of this import noted about the same range. */
  readonly checkpoint: Checkpoint | undefined;
}

/** Records of a batch, those among them that were rejected here included. */
export function sizeOf(batch: Batch): number {
  return batch.records.count + batch.rejects.length;
}

/** The input is not what an earlier run of this import read. */
export class InputChanged extends Error {
  constructor(file: number, offset: number) {
    super(`Input ${file + 1} differs at byte ${offset} from what the unfinished import has sent.`);
    this.name = 'InputChanged';
  }
}

/** Where each record of a batch lies in its body, and where it came from. */
export class RecordTable {
  count = 0;
  readonly start: Int32Array;
  readonly end: Int32Array;
  readonly line: Float64Array;
  readonly offset: Float64Array;
  /** The record as it was read, where the body holds something else; index as above. */
  readonly raws: (string | undefined)[] = [];

  constructor(size: number) {
    this.start = new Int32Array(size);
    this.end = new Int32Array(size);
    this.line = new Float64Array(size);
    this.offset = new Float64Array(size);
  }

  /** The record as the user gave it. */
  raw(index: number, body: Buffer): string {
    return this.raws[index] ?? body.toString('utf8', this.start[index], this.end[index]).trimEnd();
  }
}

/** A batch that an earlier run of the same import has cut. */
export interface Checkpoint {
  readonly file: number;
  readonly start: number;
  readonly end: number;
  /** Hex SHA-256 of its body. */
  readonly digest: string;
  /** Its end is on record: taken by the service, or rejected. */
  readonly acknowledged: boolean;
  /** It was sent, and may have been taken. */
  readonly ambiguous: boolean;
}
