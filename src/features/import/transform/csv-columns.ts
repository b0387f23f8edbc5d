import { decidedJson } from './column-types.ts';
import { InputError } from './input-error.ts';
import { membersOf } from './json-members.ts';
import { type CellType, cellJson, type Mapping, propertyName } from './mapping.ts';
import { listed, missingColumns, shortName } from './missing-columns.ts';
import { FIELDS, FREE_PART, type RecordKind } from './record-kind.ts';
import { toUtc } from './timestamps.ts';
import type { ValidationError } from './validation-errors.ts';

type Column =
  | { readonly to: 'field'; readonly name: string; readonly prefix: string }
  | {
      readonly to: 'property';
      readonly name: string;
      readonly prefix: string;
      readonly type: CellType | undefined;
      /** The type that the sample gave the column, by its name in the header. */
      readonly decided: { readonly type: CellType; readonly name: string } | undefined;
    }
  | { readonly to: 'free' }
  | { readonly to: 'nothing' };

/** Converts the rows of a CSV to records, by its header. */
export class Columns {
  readonly count: number;
  /** Notices about the header for the user. */
  readonly notices: string[] = [];
  private readonly columns: Column[];
  private readonly mapping: Mapping;
  private readonly freePart: string;
  private readonly setFields: string;
  private readonly setProperties: string;

  constructor(header: string[], mapping: Mapping, file: string) {
    this.mapping = mapping;
    this.freePart = FREE_PART[mapping.kind];
    this.count = header.length;
    const constants = constantsOf(mapping, file);
    this.setFields = constants.fields;
    this.setProperties = constants.properties;
    this.columns = header.map((name, index) => this.column(name, index));
    this.checkHeader(header, file);
  }

  /** Returns the JSON text of the record without its invalid cells, and their errors; or an error of the whole row. */
  record(
    cells: string[],
  ): { readonly text: string; readonly errors: readonly ValidationError[] } | ValidationError {
    if (cells.length !== this.count)
      return {
        field: 'record',
        reason: `has ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'} where the header has ${this.count}`,
      };
    let fields = this.setFields;
    let properties = this.setProperties;
    const errors: ValidationError[] = [];
    for (let i = 0; i < cells.length; i++) {
      const cell = cells[i]!;
      const column = this.columns[i]!;
      if (cell === '' || column.to === 'nothing') continue;
      if (column.to === 'field') {
        const value = this.field(column.name, cell);
        if (typeof value === 'string') fields += column.prefix + value;
        else errors.push(value);
      } else if (column.to === 'property') {
        const { type, decided } = column;
        const value = decided ? decidedJson(cell, decided.type, decided.name) : cellJson(cell, type);
        if ('json' in value) properties += column.prefix + value.json;
        else errors.push({ field: `${this.freePart}.${column.name}`, ...value });
      } else {
        const inner = this.free(cell);
        if (typeof inner === 'string') properties += inner;
        else errors.push(inner);
      }
    }
    if (properties !== '') fields += `,"${this.freePart}":{${properties.slice(1)}}`;
    return { text: `{${fields.slice(1)}}`, errors };
  }

  private field(name: string, cell: string): string | ValidationError {
    if (name !== 'timestamp' || this.mapping.convert === undefined) return JSON.stringify(cell);
    const converted = toUtc(cell, this.mapping.convert);
    if (!converted.ok) return { field: 'timestamp', reason: converted.reason };
    if (converted.zoneless) this.mapping.onZoneless?.();
    return `"${converted.utc}"`;
  }

  /** Reads a `properties` cell, a JSON object. Values are copied as text, so that numbers keep their spelling. */
  private free(cell: string): string | ValidationError {
    try {
      const value: unknown = JSON.parse(cell);
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        throw new Error('not an object');
    } catch {
      return { field: this.freePart, reason: 'must hold a JSON object' };
    }
    let text = '';
    for (const member of membersOf(cell)) text += `,${cell.slice(member.at, member.end)}`;
    return text;
  }

  private column(name: string, index: number): Column {
    const { mapping, freePart } = this;
    const mapped = mapping.map.get(name);
    const target = mapped ?? name;
    if (target === '') {
      this.notices.push(`Column ${index + 1} has no name and is ignored; --map NAME= imports it.`);
      return { to: 'nothing' };
    }
    if (mapping.set.has(target)) {
      this.notices.push(`--set ${target} replaces the column ${name}.`);
      return { to: 'nothing' };
    }
    if (target === freePart) return { to: 'free' };
    if (FIELDS[mapping.kind].includes(target))
      return { to: 'field', name: target, prefix: `,${JSON.stringify(target)}:` };
    if (mapped === undefined && mapping.extraFields === 'drop') return { to: 'nothing' };
    const property = propertyName(target, freePart);
    const type = mapping.types.get(name) ?? mapping.types.get(property);
    const found = type ? undefined : mapping.columnTypes && (mapping.columnTypes.get(name) ?? 'string');
    const decided = found && { type: found, name };
    return { to: 'property', name: property, prefix: `,${JSON.stringify(property)}:`, type, decided };
  }

  private checkHeader(header: string[], file: string): void {
    const { mapping } = this;
    const targets = this.columns.flatMap((column) => ('name' in column ? [column.name] : []));
    const missing = missingColumns(header, targets, mapping, file);
    if (missing) throw missing;
    const clash = firstDuplicate(targets);
    if (clash !== undefined)
      throw new InputError(
        `Two columns of ${file} become ${shortName(clash)}.`,
        'Change --map so that each has its own name.',
      );
    if (mapping.extraFields !== 'reject') return;
    const extra = this.columns.flatMap((column) => (column.to === 'property' ? [column.name] : []));
    if (extra.length > 0)
      throw new InputError(
        `${file} has columns that are not fields: ${listed(extra)}.`,
        'Use --extra-fields properties or drop to accept them.',
      );
  }
}

/** Returns the first name that occurs twice. */
function firstDuplicate(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return names.find((name) => seen.size === seen.add(name).size);
}

function constantsOf(mapping: Mapping, file: string): { fields: string; properties: string } {
  let fields = '';
  let properties = '';
  for (const [name, value] of mapping.set) {
    if (isField(mapping.kind, name)) {
      fields += `,${JSON.stringify(name)}:${JSON.stringify(value)}`;
      continue;
    }
    const cell = cellJson(value, mapping.types.get(name));
    if ('reason' in cell)
      throw new InputError(
        `--set ${name}=${value} ${cell.reason} (${file}).`,
        `Use --type ${name}=string to keep it.`,
      );
    properties += `,${JSON.stringify(propertyName(name, FREE_PART[mapping.kind]))}:${cell.json}`;
  }
  return { fields, properties };
}

function isField(kind: RecordKind, name: string): boolean {
  return FIELDS[kind].includes(name);
}
