import type { RecordKind } from './record-kind.ts';

/** How the records of an import are made from what the input holds; the flags of the command, parsed. */
export interface Mapping {
  readonly kind: RecordKind;
  /** `--map field=column`: from the column (or name in NDJSON) to the field or property it becomes. */
  readonly map: ReadonlyMap<string, string>;
  /** `--set field=value`: what every record gets. */
  readonly set: ReadonlyMap<string, string>;
  /** `--type column=…`: how a cell is read. */
  readonly types: ReadonlyMap<string, CellType>;
  /** The zone of times without one, where `--convert-timestamps` is given. */
  readonly convert: string | undefined;
  /** Told of each time that named no zone and was read as UTC, where nobody said that it is UTC. */
  readonly onZoneless?: (() => void) | undefined;
  readonly extraFields: 'reject' | 'properties' | 'drop' | undefined;
  readonly validate: boolean;
  readonly delimiter: string | undefined;
}

export type CellType = 'string' | 'number' | 'boolean';

/**
 * A cell as JSON text, or the reason why it is not of the type asked for. Without a type a cell becomes a number or
 * a boolean only when that prints back to the same characters, so that `01234` and `1.50` stay what they were.
 */
export function cellJson(cell: string, type: CellType | undefined): { json: string } | { reason: string } {
  switch (type) {
    case undefined:
      return { json: printsBack(cell) ? cell : JSON.stringify(cell) };
    case 'string':
      return { json: JSON.stringify(cell) };
    case 'boolean':
      if (/^(true|1)$/i.test(cell)) return { json: 'true' };
      if (/^(false|0)$/i.test(cell)) return { json: 'false' };
      return { reason: 'must be true, false, 1 or 0' };
    case 'number': {
      const text = cell.trim().replace(/^\+/, '');
      // The grammar of JSON allows fewer spellings than Number does: no hex, no leading zeros, no bare point.
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

/** `9.549,07` and `0,5`, and not `1,234`, which may be a thousand. */
const DECIMAL_COMMA = /^-?(?:\d{1,3}(?:\.\d{3}){1,4}|\d{1,15}),(?!\d{3}$)\d{1,15}$/;

function printsBack(cell: string): boolean {
  const first = cell.charCodeAt(0);
  if (first === 0x2d || (first >= 0x30 && first <= 0x39)) {
    const value = Number(cell);
    return Number.isFinite(value) && String(value) === cell;
  }
  return cell === 'true' || cell === 'false';
}

/** The free-form property that a name stands for: `properties.plan` and `plan` are the same one. */
export function propertyName(name: string, freePart: string): string {
  return name.startsWith(`${freePart}.`) ? name.slice(freePart.length + 1) : name;
}
