import { elementsOf, membersOf, minified, unquoted } from '../../../kit/json/json-members.ts';
import { jsonString } from '../../../kit/json/json-string.ts';
import type { GivenType } from '../record/cell-type.ts';
import { FREE_PART, fieldJson } from '../record/record-kind.ts';
import type { ValidationError } from '../record/validation-errors.ts';
import { cellJson, type Mapping, propertyName } from './mapping.ts';
import { numberForm } from './number-form.ts';
import { MAX_DEPTH } from './record-paths.ts';

const EMPTY: ReadonlySet<string> = new Set();

/** A JSON record under construction: the text of each field and property, in order. */
export class Draft {
  readonly fields = new Map<string, string>();
  readonly properties = new Map<string, string>();
  /** Errors of single values; the record is validated further. */
  readonly errors: ValidationError[] = [];
  changed = false;
  private readonly mapping: Mapping;
  private readonly freePart: string;
  private readonly nullTexts: ReadonlySet<string>;
  private readonly dropped: ReadonlySet<string>;

  constructor(mapping: Mapping) {
    this.mapping = mapping;
    this.freePart = FREE_PART[mapping.kind];
    this.nullTexts = mapping.nullTexts ?? EMPTY;
    this.dropped = mapping.drop ?? EMPTY;
  }

  /** Returns whether a value counts as absent: a null where those are dropped, or a text of `--null`. */
  isAbsent(value: string): boolean {
    if (value === 'null') return this.mapping.nulls === 'drop';
    return this.nullTexts.size > 0 && value[0] === '"' && this.nullTexts.has(unquoted(value));
  }

  /** Adds a field. */
  field(name: string, value: string): ValidationError | undefined {
    if (this.isAbsent(value)) {
      this.changed = true;
      return undefined;
    }
    return put(this.fields, name, value, name);
  }

  /** Adds the members of the free-form part. `path`: where they were read. */
  spread(value: string, path: string): ValidationError | undefined {
    if (this.isAbsent(value)) {
      this.changed = true;
      return undefined;
    }
    const text = objectText(value);
    if (text === undefined) return { field: this.freePart, reason: 'must be an object' };
    if (text !== value) this.changed = true;
    for (const { name, start, end } of membersOf(text)) {
      const error = this.property(name, text.slice(start, end), `${path}.${name}`);
      if (error) return error;
    }
    // Kept even if it is empty.
    this.fields.set(this.freePart, '');
    return undefined;
  }

  /** Returns the name, with a number where there is a property of that name. */
  freeName(name: string): string {
    let free = name;
    for (let n = 1; this.properties.has(free); n++) free = `${name}_${n}`;
    return free;
  }

  /** Adds a property, or those that a nested value becomes. `path`: where it was read. */
  property(name: string, value: string, path: string, depth = 0): ValidationError | undefined {
    if (this.dropped.has(name) || this.isAbsent(value)) {
      this.changed = true;
      return undefined;
    }
    const first = value[0];
    if (first === '{' || first === '[') {
      const { nested = 'reject' } = this.mapping;
      if (nested === 'drop') {
        this.changed = true;
        return undefined;
      }
      if (nested === 'flatten') return this.flatten(name, value, path, depth);
      if (nested === 'json') return this.put(name, jsonString(minified(value)), true);
    }
    const type = this.mapping.types.get(path) ?? this.mapping.types.get(name);
    if (type === undefined || value === 'null') return this.put(name, value, false);
    return this.typed(name, value, type);
  }

  private flatten(name: string, value: string, path: string, depth: number): ValidationError | undefined {
    if (depth >= MAX_DEPTH)
      return { field: `${this.freePart}.${name}`, reason: `is nested deeper than ${MAX_DEPTH} levels` };
    const parts = value[0] === '{' ? membersOf(value) : elementsOf(value);
    // An empty object or array has no members that could stand for it.
    if (parts.length === 0) return this.put(name, jsonString(minified(value)), true);
    this.changed = true;
    for (const { name: inner, start, end } of parts) {
      const text = value.slice(start, end);
      const error = this.property(`${name}.${inner}`, text, `${path}.${inner}`, depth + 1);
      if (error) return error;
    }
    return undefined;
  }

  private typed(name: string, value: string, type: GivenType): ValidationError | undefined {
    const text = value[0] === '"' ? unquoted(value) : value;
    const cell = cellJson(text, type, numberForm(this.mapping));
    if ('json' in cell) return this.put(name, cell.json, cell.json !== value);
    this.errors.push({ field: `${this.freePart}.${name}`, reason: cell.reason });
    return undefined;
  }

  private put(name: string, value: string, changed: boolean): ValidationError | undefined {
    if (changed) this.changed = true;
    return put(this.properties, name, value, `${this.freePart}.${name}`);
  }

  /** Sets a constant of `--set`, which overrides the record. */
  constant(name: string, value: string, isField: boolean): void {
    this.changed = true;
    if (isField) this.fields.set(name, fieldJson(this.mapping.kind, name, value));
    else {
      const cell = cellJson(value, this.mapping.types.get(name), numberForm(this.mapping));
      if ('reason' in cell) this.errors.push({ field: name, reason: cell.reason });
      else this.properties.set(propertyName(name, this.freePart), cell.json);
    }
  }

  /** Returns the text of the record. */
  text(): string {
    let fields = '';
    for (const [name, value] of this.fields)
      if (name !== this.freePart) fields += `,${jsonString(name)}:${value}`;
    let properties = '';
    for (const [name, value] of this.properties) properties += `,${jsonString(name)}:${value}`;
    if (properties !== '' || this.fields.has(this.freePart))
      fields += `,"${this.freePart}":{${properties.slice(1)}}`;
    return `{${fields.slice(1)}}`;
  }
}

/** The text of an object, which may be in a string: tables and Parquet files hold objects so. */
function objectText(value: string): string | undefined {
  if (value[0] === '{') return value;
  const text = value[0] === '"' ? unquoted(value).trim() : '';
  if (text[0] !== '{') return undefined;
  try {
    JSON.parse(text);
    return text;
  } catch {
    return undefined;
  }
}

function put(
  into: Map<string, string>,
  name: string,
  value: string,
  field: string,
): ValidationError | undefined {
  if (into.has(name)) return { field, reason: 'is given twice' };
  into.set(name, value);
  return undefined;
}
