import type { CellType } from '../record/cell-type.ts';
import type { ValidationError } from '../record/validation-errors.ts';

/** A record to send, with the index of its timestamp in its bytes; -1 if unknown. Valid until the next one is mapped. */
export interface MadeRecord {
  /** The byte after the record may be overwritten. */
  readonly bytes: Buffer;
  readonly length: number;
  readonly time: number;
}

/** A record that `--where` leaves out: it is counted, but is not a record of the import. */
export const FILTERED = { filtered: true } as const;
/** A JSON record that is sent byte for byte. */
export const UNCHANGED = { unchanged: true } as const;

/** What becomes of a record. */
export type Mapped = MadeRecord | ValidationError | typeof FILTERED;

/** Maps the text of a JSON record. */
export type RecordMapper = (text: string) => Mapped | typeof UNCHANGED;

/** Maps the rows of a table, whose columns have names. */
export interface RowMapper {
  /** Notices about the columns for the user. */
  readonly notices: readonly string[];
  readonly record: (cells: string[]) => Mapped;
}

/** What readers pass each record to: JSON records as text, the rows of a table as cells. */
export interface RecordMappers {
  readonly json: RecordMapper;
  /** Returns the end of a JSON record that is valid as it is, or -1; undefined if every record must be mapped. */
  readonly scan: ((bytes: Uint8Array, at: number) => number) | undefined;
  /** Throws an InputError if the columns cannot become records. */
  readonly rows: (header: readonly string[], file: string) => RowMapper;
  /** Verifies the names of the columns of JSON records. Throws an InputError. */
  readonly checkNames: (names: readonly string[], file: string) => void;
}

/** Creates the mappers for an input. `types`: the types that the input itself gives its columns, which become properties. */
export type MappersFor = (types?: ReadonlyMap<string, CellType>) => RecordMappers;
