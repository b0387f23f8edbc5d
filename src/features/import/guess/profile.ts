import type { Sample } from '../formats/sample.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { numberForm, plainNumber } from '../mapping/number-form.ts';
import type { ColumnTypes } from '../record/cell-type.ts';

export type ProfileType = 'string' | 'number' | 'boolean' | 'array' | 'object' | 'mixed' | 'empty';

/** What a sample holds in a column of a table, or under a path of JSON records. */
export interface Profile {
  /** The name of the column, or the path with its names joined by dots. */
  readonly name: string;
  readonly type: ProfileType;
  /** Records of the sample. */
  readonly total: number;
  /** Records in which it is missing, empty or null. */
  readonly empty: number;
  /** Different values. */
  readonly distinct: number;
  /** The values that are not empty, as text, in order. */
  readonly values: readonly string[];
  readonly min: string | number | null;
  readonly max: string | number | null;
  /** Records in which it is null. */
  readonly nulls: number;
  /** Objects around the value and one: 1 for a member of the record. */
  readonly depth: number;
  /** Records in which it is an object or an array. */
  readonly nested: number;
}

/** Deepest object that is listed by its members. */
const MAX_DEPTH = 8;
/** Maximum number of paths; the members of records with random names are without number. */
const MAX_PATHS = 5000;
/** Begins what stands for the name of a column without one. */
const UNNAMED = '\0';
/** Longest value that is reported, in characters. */
const MAX_CHARS = 100;

/** Describes the columns or paths of samples, in the order in which they first appear. */
export function profilesOf(
  samples: readonly Sample[],
  types: ColumnTypes,
  { nullTexts, ...written }: Pick<Mapping, 'nullTexts' | 'decimalComma' | 'thousands'>,
): Profile[] {
  const form = numberForm(written);
  const columns = new Map<string, Collected>();
  let total = 0;
  for (const { header, rows, texts } of samples) {
    total += rows.length + texts.length;
    for (const [index, name] of (header ?? []).slice(0, MAX_PATHS).entries()) {
      // Columns without a name are not one.
      const column = collected(columns, name || `${UNNAMED}${index}`);
      const type = types.get(name) ?? 'string';
      for (const cells of rows) {
        const cell = cells[index];
        if (cell !== undefined && cell !== '' && !nullTexts?.has(cell))
          column.add(type === 'number' && form ? (plainNumber(cell, form) ?? cell) : cell, type);
      }
    }
    for (const text of texts) collectJson(columns, text);
  }
  return [...columns].map(([name, column]) => column.profile(name.startsWith(UNNAMED) ? '' : name, total));
}

function collected(columns: Map<string, Collected>, name: string): Collected {
  let column = columns.get(name);
  if (!column) {
    column = new Collected();
    columns.set(name, column);
  }
  return column;
}

function collectJson(columns: Map<string, Collected>, text: string): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return;
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    collectMembers(columns, value as Record<string, unknown>, '', 1);
}

function collectMembers(
  columns: Map<string, Collected>,
  members: Record<string, unknown>,
  prefix: string,
  depth: number,
): void {
  for (const [key, value] of Object.entries(members)) {
    const name = prefix + key;
    if (!columns.has(name) && columns.size >= MAX_PATHS) continue;
    if (isObject(value) && depth < MAX_DEPTH && Object.keys(value).length > 0) {
      collectMembers(columns, value, `${name}.`, depth + 1);
      continue;
    }
    const column = collected(columns, name);
    column.depth = Math.max(column.depth, depth);
    if (value === null) column.nulls++;
    else if (Array.isArray(value)) {
      column.add(JSON.stringify(value), 'array');
      if (holdsNull(value)) column.nulls++;
    } else if (isObject(value)) column.add(JSON.stringify(value), 'object');
    else if (value !== '') column.add(String(value), typeof value as 'string' | 'number' | 'boolean');
  }
}

/** Returns whether a null is anywhere inside a value. */
function holdsNull(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.values(value).some(holdsNull));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Collects the values of a column. */
class Collected {
  readonly values: string[] = [];
  nulls = 0;
  depth = 1;
  private readonly types = new Map<ProfileType, number>();

  add(value: string, type: ProfileType): void {
    this.values.push(value);
    this.types.set(type, (this.types.get(type) ?? 0) + 1);
  }

  profile(name: string, total: number): Profile {
    const { values, types, nulls, depth } = this;
    const [first = 'empty', ...others] = types.keys();
    const type = others.length > 0 ? 'mixed' : first;
    return {
      name,
      type,
      total,
      empty: total - values.length,
      distinct: new Set(values).size,
      values,
      nulls,
      depth,
      nested: (types.get('array') ?? 0) + (types.get('object') ?? 0),
      ...rangeOf(values, type),
    };
  }
}

function rangeOf(values: readonly string[], type: ProfileType): Pick<Profile, 'min' | 'max'> {
  if (values.length === 0 || type === 'array' || type === 'object') return { min: null, max: null };
  let [min, max] = [values[0]!, values[0]!];
  const number = type === 'number';
  for (const value of values) {
    if (number ? Number(value) < Number(min) : value < min) min = value;
    if (number ? Number(value) > Number(max) : value > max) max = value;
  }
  if (number) return { min: Number(min), max: Number(max) };
  return { min: min.slice(0, MAX_CHARS), max: max.slice(0, MAX_CHARS) };
}
