import { Columns } from './csv-columns.ts';
import type { FILTERED } from './filtered.ts';
import { jsonMapper, type RecordMapper } from './map-json.ts';
import type { Mapping } from './mapping.ts';
import type { RowWriter } from './row-writer.ts';
import { scanEvent } from './scan-event.ts';
import type { ValidationError } from './validation-errors.ts';

/** Maps the rows of a table, whose columns have names, to JSON records. */
export interface RowMapper {
  /** Notices about the columns for the user. */
  readonly notices: readonly string[];
  /** Makes the records of most rows from their bytes; undefined if each has to be mapped as text. */
  readonly writer?: RowWriter | undefined;
  /** Returns the JSON text of a record with the errors of its cells, or an error of the whole row. */
  record(
    cells: string[],
  ):
    | { readonly text: string; readonly errors: readonly ValidationError[] }
    | ValidationError
    | typeof FILTERED;
}

/** What readers pass each record to: JSON records as text, the rows of a table as cells. */
export interface RecordMappers {
  readonly json: RecordMapper;
  /** Returns the end of a JSON record that is valid as it is, or -1; undefined if every record must be mapped. */
  readonly scan: ((bytes: Uint8Array, at: number) => number) | undefined;
  readonly rows: (header: string[], file: string) => RowMapper;
}

/** Creates the mappers that make the records to send. */
export function recordMappers(mapping: Mapping): RecordMappers {
  // A record that the scan accepts has a time in UTC, and neither nulls nor anything nested.
  const { map, set, types, nullTexts, drop, where } = mapping;
  const plain =
    mapping.kind === 'events' &&
    map.length + set.size + types.size === 0 &&
    !mapping.timestampFormat &&
    !nullTexts?.size &&
    !drop?.size &&
    !where?.size;
  return {
    json: jsonMapper(mapping),
    scan: plain ? scanEvent : undefined,
    rows: (header, file) => new Columns(header, mapping, file),
  };
}
