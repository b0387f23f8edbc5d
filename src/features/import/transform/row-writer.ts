import { MAX_FIELDS } from '../../../contract/limits.ts';
import {
  type CellWriter,
  either,
  isText,
  put,
  writeBoolean,
  writeName,
  writeNumber,
  writerOf,
  writeText,
} from './cell-writers.ts';
import { decidedJson } from './column-types.ts';
import type { Column } from './csv-column.ts';
import { cellJson, type Mapping } from './mapping.ts';
import { FIELDS, FREE_PART } from './record-kind.ts';
import { copyIso, copyUtc, type TimeWriter } from './time/time-template.ts';
import { timeConverter } from './time-converter.ts';
import { checkRecord } from './validate.ts';

/** The cells of a row by their places in its bytes. */
export interface CellPlaces {
  readonly start: Int32Array;
  readonly end: Int32Array;
  /** DOUBLED, or another number. */
  readonly quotes: Uint8Array;
}

/** The columns of a table, and the JSON of the constants of all its rows, each member after a comma. */
export interface TableColumns {
  readonly columns: readonly Column[];
  readonly setFields: string;
  readonly setProperties: string;
}

/** More properties are refused. */
const MAX_COLUMNS = MAX_FIELDS + FIELDS.events.length;
const CLOSE_BRACE = 0x7d;
/** Marks a cell in whose bytes quotes are doubled. */
export const DOUBLED = 2;
/** A byte becomes at most six in JSON; no number or time becomes longer by more than this. */
const GROWTH = 6;
const MORE = 64;

interface Property {
  readonly index: number;
  readonly write: CellWriter;
  /** The name in JSON, and what is before it: for the first property, and for others. */
  readonly first: Buffer;
  readonly next: Buffer;
}

/**
 * Writes the records of a table from the bytes of its rows, without text for each cell: for events whose columns each
 * become a field or a property. Like `scanEvent`, it writes only what is certainly valid, so that nothing has to be
 * validated; the other rows are left to `Columns`. A property test verifies that both make the same records.
 */
export class RowWriter {
  /** Index of the timestamp in the record that was written last. */
  time = -1;
  private readonly head: Buffer;
  private readonly headTime: number;
  private readonly fields: readonly { index: number; prefix: Buffer; write: CellWriter; isTime: boolean }[] =
    [];
  private readonly constants: Buffer | undefined;
  private readonly properties: readonly Property[];
  private readonly nullTexts: readonly Buffer[];
  private readonly fixed: number;
  private readonly onZoneless: Mapping['onZoneless'];
  /** The time of the row that is being written had no zone. */
  private zoneless = false;

  private constructor({ columns, setFields, setProperties }: TableColumns, mapping: Mapping) {
    this.onZoneless = mapping.onZoneless;
    // Counted once the row is written: another row is left to `Columns`, which counts it.
    const noting = mapping.onZoneless && {
      ...mapping,
      onZoneless: () => {
        this.zoneless = true;
      },
    };
    const fields: { index: number; prefix: Buffer; write: CellWriter; isTime: boolean }[] = [];
    const properties: Property[] = [];
    const free = `,"${FREE_PART[mapping.kind]}":{`;
    for (const [index, column] of columns.entries()) {
      if (column.to === 'field') {
        const { prefix, isTime } = column;
        const start = setFields === '' && fields.length === 0 ? `{${prefix.slice(1)}` : prefix;
        fields.push({
          index,
          prefix: Buffer.from(start),
          isTime,
          write: isTime ? timeWriter(noting ?? mapping) : writeName,
        });
      } else if (column.to === 'property') {
        const { prefix } = column;
        const first = Buffer.from(free + prefix.slice(1));
        properties.push({ index, write: propertyWriter(column, mapping), first, next: Buffer.from(prefix) });
      }
    }
    this.fields = fields;
    this.properties = properties;
    this.head = Buffer.from(setFields === '' ? '' : `{${setFields.slice(1)}`);
    const constantTime = setFields.indexOf(TIME_MEMBER);
    this.headTime =
      constantTime < 0 ? -1 : Buffer.byteLength(setFields.slice(0, constantTime)) + TIME_MEMBER.length;
    this.constants = setProperties === '' ? undefined : Buffer.from(free + setProperties.slice(1));
    this.nullTexts = [...(mapping.nullTexts ?? [])].map((text) => Buffer.from(text));
    const names = [...fields.map(({ prefix }) => prefix), ...properties.map(({ first }) => first)];
    const bytes = names.reduce((sum, { length }) => sum + length + MORE, 0);
    this.fixed = this.head.length + (this.constants?.length ?? 0) + bytes + MORE;
  }

  /** Returns undefined if rows need more than their cells one by one, or if no row would be valid. */
  static of(table: TableColumns, mapping: Mapping): RowWriter | undefined {
    const { columns, setFields, setProperties } = table;
    if (columns.length > MAX_COLUMNS) return undefined;
    if (mapping.kind !== 'events' || !mapping.validate || columns.some(({ to }) => to === 'free'))
      return undefined;
    let fields = setFields;
    let properties = setProperties;
    for (const column of columns) {
      if (column.to === 'field') fields += column.prefix + (column.isTime ? '"2026-01-31T12:00:00Z"' : '"a"');
      else if (column.to === 'property') properties += `${column.prefix}"a"`;
    }
    const sample = `{${fields.slice(1)},"${FREE_PART.events}":{${properties.slice(1)}}}`;
    return checkRecord(mapping, sample) === null ? new RowWriter(table, mapping) : undefined;
  }

  /** The longest record that a row of `length` bytes can become. */
  longest(length: number): number {
    return this.fixed + GROWTH * length;
  }

  /** Writes the record of a row to `out` at `at`. Returns the index after it, or -1 if it may not be valid. */
  write(bytes: Buffer, cells: CellPlaces, out: Buffer, at: number): number {
    const { start, end, quotes } = cells;
    let o = put(this.head, out, at);
    this.zoneless = false;
    this.time = this.headTime < 0 ? -1 : at + this.headTime;
    for (const { index, prefix, write, isTime } of this.fields) {
      const from = start[index]!;
      const to = end[index]!;
      if (from === to || this.isNull(bytes, from, to)) return -1;
      o = put(prefix, out, o);
      if (isTime) this.time = o + 1;
      o = write(bytes, from, to, quotes[index] === DOUBLED, out, o);
      if (o < 0) return -1;
    }
    let some = this.constants !== undefined;
    if (this.constants) o = put(this.constants, out, o);
    for (const { index, write, first, next } of this.properties) {
      const from = start[index]!;
      const to = end[index]!;
      if (from === to || this.isNull(bytes, from, to)) continue;
      o = put(some ? next : first, out, o);
      some = true;
      o = write(bytes, from, to, quotes[index] === DOUBLED, out, o);
      if (o < 0) return -1;
    }
    if (some) out[o++] = CLOSE_BRACE;
    out[o++] = CLOSE_BRACE;
    if (this.zoneless) this.onZoneless?.();
    return o;
  }

  /** Returns whether a cell has a text of `--null`, which stands for an empty one. */
  private isNull(bytes: Buffer, start: number, end: number): boolean {
    for (const text of this.nullTexts) if (isText(bytes, start, end, text)) return true;
    return false;
  }
}

const TIME_MEMBER = ',"timestamp":"';

function timeWriter(mapping: Mapping): CellWriter {
  const { timestampFormat, convert, onZoneless } = mapping;
  const parse = timeConverter(mapping);
  if (!parse) return withoutQuotes(copyUtc);
  const byText = writerOf((cell) => {
    const time = parse(cell);
    return time.ok ? `"${time.utc}"` : undefined;
  });
  if (timestampFormat) {
    const { format, zone } = timestampFormat;
    const { write, hasZone } = format;
    if (!write || !(hasZone || zone === 'UTC')) return byText;
    return either(withoutQuotes(hasZone ? write : noticed(write, onZoneless)), byText);
  }
  return convert === 'UTC' ? either(withoutQuotes(copyIso(onZoneless)), byText) : byText;
}

function withoutQuotes(write: TimeWriter): CellWriter {
  return (bytes, start, end, doubled, out, at) => (doubled ? -1 : write(bytes, start, end, out, at));
}

function noticed(write: TimeWriter, onZoneless: (() => void) | undefined): TimeWriter {
  if (!onZoneless) return write;
  return (bytes, start, end, out, at) => {
    const done = write(bytes, start, end, out, at);
    if (done > 0) onZoneless();
    return done;
  };
}

function propertyWriter(
  { type, decided }: Column & { to: 'property' },
  { decimalComma }: Mapping,
): CellWriter {
  const known = decided?.type ?? type;
  if (known === 'string') return writeText;
  const byText = writerOf((cell) => {
    const value = decided
      ? decidedJson(cell, decided.type, decided.name, decimalComma)
      : cellJson(cell, type, decimalComma);
    return 'json' in value && isCertain(value.json) ? value.json : undefined;
  });
  if (known === 'boolean') return either(writeBoolean, byText);
  return known === 'number' && !decimalComma ? either(writeNumber, byText) : byText;
}

/** Returns whether the JSON text of a cell is certainly valid: numbers beyond a double, and U+0000, are not. */
function isCertain(json: string): boolean {
  if (json[0] === '"') return !json.includes('\\u0000');
  return json === 'true' || json === 'false' || Number.isFinite(Number(json));
}
