import { membersOf } from '../../../kit/json/json-members.ts';
import { jsonString } from '../../../kit/json/json-string.ts';
import { FILTERED, type Mapped, type RowMapper } from '../formats/record-mappers.ts';
import { InputError } from '../input/input-error.ts';
import type { CellType, GivenType } from '../record/cell-type.ts';
import { FIELDS, FREE_PART, fieldJson, type RecordKind } from '../record/record-kind.ts';
import type { ValidationError } from '../record/validation-errors.ts';
import { decidedJson, hasType } from './column-types.ts';
import { requireConsentNamed } from './consent-names.ts';
import { Draft } from './draft.ts';
import type { MapRule } from './map-rules.ts';
import { cellJson, keepsNested, type Mapping, propertyName } from './mapping.ts';
import { listed, missingColumns, shortName } from './missing-columns.ts';
import { type NumberForm, numberForm } from './number-form.ts';
import { timeConverter } from './time-converter.ts';
import { uniqueNames } from './unique-names.ts';
import { madeRecord } from './validate.ts';

/** What a column of a table becomes. */
type Column =
  | {
      readonly to: 'field';
      readonly name: string;
      /** The name in JSON, after a comma. */
      readonly prefix: string;
      readonly isTime: boolean;
    }
  | {
      readonly to: 'property';
      readonly name: string;
      readonly prefix: string;
      readonly type: GivenType | undefined;
      /** The type that the sample gave the column, by its name in the header. */
      readonly decided: { readonly type: CellType; readonly name: string } | undefined;
    }
  | { readonly to: 'free' }
  | { readonly to: 'nothing' };

const NOTHING: Column = { to: 'nothing' };

/** A rule of `--map` that reads several columns: the indexes of those that the header has. */
interface ComposedColumn {
  readonly target: Column;
  readonly sources: readonly (readonly number[])[];
}

/** A condition of `--where`. */
interface Condition {
  readonly read: (cells: readonly string[]) => string;
  readonly values: ReadonlySet<string>;
}

/** A record under construction: the JSON text of its members, each after a comma. */
interface Parts {
  fields: string;
  properties: string;
  readonly errors: ValidationError[];
}

/** Converts the rows of a table to records, by its header. */
export class Columns implements RowMapper {
  private readonly count: number;
  /** Notices about the header for the user. */
  readonly notices: string[] = [];
  private readonly columns: Column[];
  /** What each column is where no rule reads it: for alternatives that were not used. */
  private readonly plain: Column[];
  private readonly composed: readonly ComposedColumn[];
  private readonly conditions: readonly Condition[];
  private readonly mapping: Mapping;
  private readonly form: NumberForm | undefined;
  private readonly freePart: string;
  private readonly nullTexts: ReadonlySet<string> | undefined;
  private readonly convert: ReturnType<typeof timeConverter>;
  private readonly setFields: string;
  private readonly setProperties: string;

  constructor(given: readonly string[], mapping: Mapping, file: string) {
    const { names: header, notice } = uniqueNames(given, mapping, file);
    if (notice) this.notices.push(notice);
    this.mapping = mapping;
    this.form = numberForm(mapping);
    this.freePart = FREE_PART[mapping.kind];
    this.nullTexts = mapping.nullTexts;
    this.convert = timeConverter(mapping);
    this.count = header.length;
    const constants = constantsOf(mapping, file);
    this.setFields = constants.fields;
    this.setProperties = constants.properties;
    const indexes = new Map(header.map((name, index) => [name, index] as const).reverse());
    const rules = mapping.map.map((rule) => ({ rule, sources: presentSources(rule, indexes) }));
    const direct = new Map<number, string>();
    for (const { rule, sources } of rules)
      if (sources.length === 1 && sources[0]!.length === 1) direct.set(sources[0]![0]!, rule.target);
    const several = rules.filter(({ sources }) => sources.length > 1 || (sources[0]?.length ?? 0) > 1);
    const inRules = new Set(several.flatMap(({ sources }) => sources.flat()));
    this.plain = header.map((name, index) =>
      mapping.drop?.has(name) ? NOTHING : this.column(name, index, direct.get(index)),
    );
    this.columns = this.plain.map((column, index) => (inRules.has(index) ? NOTHING : column));
    this.composed = several.map(({ rule, sources }) => ({
      target: this.column(header[sources[0]![0]!]!, sources[0]![0]!, rule.target),
      sources,
    }));
    this.conditions = [...(mapping.where ?? [])].map(([field, values]) => {
      const rule = rules.find(({ rule: { target } }) => target === field);
      const sources = rule?.sources ?? [[indexes.get(field) ?? -1]];
      return { values, read: (cells) => this.chosen(cells, sources).text };
    });
    this.checkHeader(header, file);
  }

  /** Makes the record of a row. */
  record(cells: string[]): Mapped {
    if (cells.length !== this.count)
      return {
        field: 'record',
        reason: `has ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'} where the header has ${this.count}`,
      };
    if (this.conditions.some(({ read, values }) => !values.has(read(cells)))) return FILTERED;
    const parts: Parts = { fields: this.setFields, properties: this.setProperties, errors: [] };
    const { columns } = this;
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i]!;
      if (column.to !== 'nothing') this.add(parts, column, cells[i]!);
    }
    if (this.composed.length > 0) this.addComposed(parts, cells);
    const { fields, properties, errors } = parts;
    const free = properties === '' ? '}' : `,"${this.freePart}":{${properties.slice(1)}}}`;
    return madeRecord(this.mapping, `{${fields.slice(1)}${free}`, errors);
  }

  private addComposed(parts: Parts, cells: readonly string[]): void {
    for (const { target, sources } of this.composed) {
      const { text, used } = this.chosen(cells, sources);
      this.add(parts, target, text);
      // What was not used is a property like any other.
      for (const i of new Set(sources.flat()))
        if (!used.includes(i)) this.add(parts, this.plain[i]!, cells[i]!);
    }
  }

  /** Adds a cell, unless it is empty. */
  private add(parts: Parts, column: Column, cell: string): void {
    if (cell === '' || this.nullTexts?.has(cell)) return;
    if (column.to === 'field') {
      const value = column.isTime ? this.time(cell) : fieldJson(this.mapping.kind, column.name, cell);
      if (typeof value === 'string') parts.fields += column.prefix + value;
      else parts.errors.push(value);
    } else if (column.to === 'property' && column.decided?.type === 'string') {
      parts.properties += column.prefix + jsonString(cell);
    } else if (column.to === 'property') {
      const { type, decided } = column;
      const { form } = this;
      // Most cells have the type of their column.
      if (decided && !form && hasType(cell, decided.type)) {
        parts.properties += column.prefix + (decided.type === 'string' ? jsonString(cell) : cell);
        return;
      }
      const value = decided
        ? decidedJson(cell, decided.type, decided.name, form)
        : cellJson(cell, type, form);
      if ('json' in value) parts.properties += column.prefix + value.json;
      else parts.errors.push({ field: `${this.freePart}.${column.name}`, ...value });
    } else if (column.to === 'free') {
      const inner = this.free(cell);
      if (typeof inner === 'string') parts.properties += inner;
      else parts.errors.push(...inner);
    }
  }

  /** The text of the first source that is not empty, and its columns. */
  private chosen(
    cells: readonly string[],
    sources: ComposedColumn['sources'],
  ): { text: string; used: readonly number[] } {
    for (const used of sources) {
      const texts = used.map((i) => cells[i]!).filter((cell) => cell !== '' && !this.nullTexts?.has(cell));
      if (texts.length > 0) return { text: texts.join(' '), used };
    }
    return { text: '', used: sources.flat() };
  }

  private time(cell: string): string | ValidationError {
    if (!this.convert) return jsonString(cell);
    const converted = this.convert(cell);
    return converted.ok ? `"${converted.utc}"` : { field: 'timestamp', reason: converted.reason };
  }

  /** Reads a `properties` cell, a JSON object. Values are copied as text, so that numbers keep their spelling. */
  private free(cell: string): string | readonly ValidationError[] {
    try {
      const value: unknown = JSON.parse(cell);
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        throw new Error('not an object');
    } catch {
      return [{ field: this.freePart, reason: 'must hold a JSON object' }];
    }
    let text = '';
    if (keepsNested(this.mapping)) {
      for (const member of membersOf(cell)) text += `,${cell.slice(member.at, member.end)}`;
      return text;
    }
    const draft = new Draft(this.mapping);
    const error = draft.spread(cell.trim(), this.freePart);
    if (error || draft.errors.length > 0) return error ? [error] : draft.errors;
    for (const [name, value] of draft.properties) text += `,${jsonString(name)}:${value}`;
    return text;
  }

  private column(name: string, index: number, mapped: string | undefined): Column {
    const { mapping, freePart } = this;
    const target = mapped ?? name;
    if (target === '') {
      this.notices.push(`Column ${index + 1} has no name and is ignored; --map NAME= imports it.`);
      return NOTHING;
    }
    if (mapping.set.has(target)) {
      this.notices.push(`--set ${target} replaces the column ${name}.`);
      return NOTHING;
    }
    if (target === freePart) return { to: 'free' };
    if (FIELDS[mapping.kind].includes(target))
      return {
        to: 'field',
        name: target,
        prefix: `,${jsonString(target)}:`,
        isTime: target === 'timestamp',
      };
    if (mapped === undefined && mapping.extraFields === 'drop') return NOTHING;
    const property = propertyName(target, freePart);
    const type = mapping.types.get(name) ?? mapping.types.get(property);
    const found = type ? undefined : mapping.columnTypes && (mapping.columnTypes.get(name) ?? 'string');
    const decided = found && { type: found, name };
    return { to: 'property', name: property, prefix: `,${jsonString(property)}:`, type, decided };
  }

  private checkHeader(header: string[], file: string): void {
    const { mapping } = this;
    const columns = [...this.columns, ...this.composed.map(({ target }) => target)];
    const targets = columns.flatMap((column) => ('name' in column ? [column.name] : []));
    const missing = missingColumns(header, targets, mapping, file);
    if (missing) throw missing;
    requireConsentNamed(header, mapping, file);
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

/** The indexes of the columns of each source whose columns the header has. */
function presentSources({ sources }: MapRule, indexes: ReadonlyMap<string, number>): number[][] {
  return sources
    .filter((parts) => parts.every((name) => indexes.has(name)))
    .map((parts) => parts.map((name) => indexes.get(name)!));
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
      fields += `,${jsonString(name)}:${fieldJson(mapping.kind, name, value)}`;
      continue;
    }
    const cell = cellJson(value, mapping.types.get(name), numberForm(mapping));
    if ('reason' in cell)
      throw new InputError(
        `--set ${name}=${value} ${cell.reason} (${file}).`,
        `Use --type ${name}=string to keep it.`,
      );
    properties += `,${jsonString(propertyName(name, FREE_PART[mapping.kind]))}:${cell.json}`;
  }
  return { fields, properties };
}

function isField(kind: RecordKind, name: string): boolean {
  return FIELDS[kind].includes(name);
}
