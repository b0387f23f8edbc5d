import type { RecordKind } from './record-kind.ts';

/** How input records are mapped to the records that are sent; the parsed flags of the command. */
export interface Mapping {
  readonly kind: RecordKind;
  /** `--map field=column`: from the column (or NDJSON name) to the field or property. */
  readonly map: ReadonlyMap<string, string>;
  /** `--set field=value`: constants for all records. */
  readonly set: ReadonlyMap<string, string>;
  /** `--type column=…`: the type of the cells. */
  readonly types: ReadonlyMap<string, CellType>;
  /** The type of each CSV column, as a sample decided it; undefined: each cell has its own. */
  readonly columnTypes?: ColumnTypes | undefined;
  /** The time zone for times without one; undefined without `--convert-timestamps`. */
  readonly convert: string | undefined;
  /** Called for each time without a zone that is assumed to be UTC; undefined if `--time-zone` is given. */
  readonly onZoneless?: (() => void) | undefined;
  readonly extraFields: 'reject' | 'properties' | 'drop' | undefined;
  readonly validate: boolean;
  readonly delimiter: string | undefined;
}

export type CellType = 'string' | 'number' | 'boolean';

/** The types of columns, by their names in the header. */
export type ColumnTypes = ReadonlyMap<string, CellType>;

/**
 * Converts a cell to JSON text, or returns why it does not have the type. Without a type, a cell becomes a number or a
 * boolean only if that prints as the same characters, so that `01234` and `1.50` stay strings.
 */
export function cellJson(cell: string, type: CellType | undefined): { json: string } | { reason: string } {
  switch (type) {
    case undefined:
      return { json: printsTheSame(cell) ? cell : JSON.stringify(cell) };
    case 'string':
      return { json: JSON.stringify(cell) };
    case 'boolean':
      if (/^(true|1)$/i.test(cell)) return { json: 'true' };
      if (/^(false|0)$/i.test(cell)) return { json: 'false' };
      return { reason: 'must be true, false, 1 or 0' };
    case 'number': {
      const text = cell.trim().replace(/^\+/, '');
      // JSON allows fewer spellings than Number: no hex, no leading zeros, no bare point.
      if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text) && Number.isFinite(Number(text)))
        return { json: text };
      const value = Number(text);
      if (DECIMAL_COMMA.test(text))
        return {
          reason: `must be a number; this one has a decimal comma: write ${text.replaceAll('.', '').replace(',', '.')}`,
        };
      if (text === '' || !Number.isFinite(value)) return { reason: 'must be a number' };
      return { json: String(value) };
    }
  }
}

/** Matches `9.549,07` and `0,5`, but not `1,234`, which may have a thousands separator. */
const DECIMAL_COMMA = /^-?(?:\d{1,3}(?:\.\d{3}){1,4}|\d{1,15}),(?!\d{3}$)\d{1,15}$/;

function printsTheSame(cell: string): boolean {
  const first = cell.charCodeAt(0);
  if (first === 0x2d || (first >= 0x30 && first <= 0x39)) {
    const value = Number(cell);
    return Number.isFinite(value) && String(value) === cell;
  }
  return cell === 'true' || cell === 'false';
}

/** Returns the property for a name: `properties.plan` and `plan` are the same property. */
export function propertyName(name: string, freePart: string): string {
  return name.startsWith(`${freePart}.`) ? name.slice(freePart.length + 1) : name;
}
