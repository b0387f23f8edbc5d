import { isAccessLog } from '../formats/csv/access-logs.ts';
import type { Sample } from '../formats/sample.ts';
import { amountOf } from '../mapping/amounts.ts';
import { isBoolean, isIdentifierName, isNumber } from '../mapping/column-types.ts';
import { isLostConsent } from '../mapping/consent-names.ts';
import { columnsOf } from '../mapping/map-rules.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { numberForm, plainNumber, THOUSANDS, type Thousands } from '../mapping/number-form.ts';
import { FIELDS, FREE_PART } from '../record/record-kind.ts';
import type { Flag } from './flag.ts';
import type { Profile } from './profile.ts';
import { timesIn } from './times.ts';

/** Texts that mean no value, wherever they are. */
const NULLS = new Set(['NULL', 'null', '\\N', '(null)', '#N/A', 'NaN', 'nan', '<null>', '<NA>']);
/** Texts that mean no value among numbers and times, and may mean something in texts. */
const AMONG_NUMBERS = new Set(['NA', 'N/A', 'n/a', '-', '--', '?', '.', 'None', 'none', 'nil', 'missing']);

/** Texts that mean no value in texts too, where they do among numbers. */
const DASHES = new Set(['-', '--']);
/** Cells of a fixed width are of spaces in as many lengths as there are columns: too many to name. */
const MAX_SPACES = 3;

/** Texts that are not the name of a user, an event or a time. */
export const NO_VALUE: ReadonlySet<string> = new Set([...NULLS, '-', '--', 'N/A', '(not set)', 'undefined']);

/** The flags that say how the cells of a table are written, unless they are typed. */
export function cellFlags(samples: readonly Sample[], mapping: Mapping): Flag[] {
  const columns = columnsIn(samples);
  const flags: Flag[] = [];
  if (mapping.nullTexts === undefined) {
    const texts = new Set(nullTexts(columns));
    const isLog = samples.some(({ header }) => header !== undefined && isAccessLog(header));
    if (isLog && [...columns.values()].some((cells) => cells.includes('-'))) texts.add('-');
    flags.push(...[...texts].map((text) => ['null', text] as const));
  }
  const amounts = amountsIn(columns, mapping);
  const numbers = new Map(
    [...columns].map(([name, cells]) => [name, amounts.get(name)?.numbers ?? cells] as const),
  );
  const form = formFlag(numbers, samples, mapping);
  if (form) flags.push(form);
  const read = numberForm(
    form ? { decimalComma: form[0] === 'decimal-comma', thousands: form[1] as Thousands } : mapping,
  );
  for (const [name, { unit, numbers: texts }] of amounts)
    if (texts.every((text) => (read ? plainNumber(text, read) !== undefined : isNumber(text))))
      flags.push(['type', `${name}=amount${unit === '' ? '' : `:${unit}`}`]);
  return flags;
}

/** The flag that says how numbers are written, unless one does. */
function formFlag(
  numbers: ReadonlyMap<string, readonly string[]>,
  samples: readonly Sample[],
  mapping: Mapping,
): Flag | undefined {
  if (numberForm(mapping) !== undefined) return undefined;
  // Where commas separate cells, 1,234 is rather a thousand: only cents are certain.
  if (
    hasDecimalCommas(
      numbers,
      samples.some(({ delimiter }) => delimiter === ','),
    )
  )
    return ['decimal-comma'];
  const thousands = thousandsOf(numbers);
  return thousands === undefined ? undefined : ['thousands', thousands];
}

/** The columns whose values are amounts in one unit at most, some of them marked as such, with the texts of the numbers. */
function amountsIn(columns: ReadonlyMap<string, readonly string[]>, { types, nullTexts }: Mapping) {
  const found = new Map<string, { readonly unit: string; readonly numbers: readonly string[] }>();
  for (const [name, cells] of columns) {
    if (types.has(name) || name === '' || name.includes('=') || isIdentifierName(name)) continue;
    const values = cells.filter((cell) => !isNull(cell) && !nullTexts?.has(cell));
    const amounts = values.map(amountOf);
    const units = new Set(amounts.flatMap((amount) => (amount && amount.unit !== '' ? [amount.unit] : [])));
    if (!amounts.some((amount) => amount?.isMarked) || units.size > 1) continue;
    // Where all are in parentheses, such as (1), they are rather notes.
    if (units.size === 0 && values.every((value) => /^\(\d+\)$/.test(value))) continue;
    if (amounts.every((amount) => amount !== undefined))
      found.set(name, { unit: [...units][0] ?? '', numbers: amounts.map(({ number }) => number) });
  }
  return found;
}

function isNull(cell: string): boolean {
  return NULLS.has(cell) || AMONG_NUMBERS.has(cell) || cell.trim() === '';
}

/** Numbers that nothing but a separator of thousands explains: two of it, or one before a decimal mark. */
const CERTAIN: Readonly<Record<Thousands, RegExp>> = {
  ',': /^[+-]?\d{1,3}(,\d{3}(,\d{3})+(\.\d+)?|,\d{3}\.\d+)$/,
  '.': /^[+-]?\d{1,3}(\.\d{3}){2,}(,\d+)?$/,
  apostrophe: /^[+-]?\d{1,3}(['’]\d{3})+(\.\d+)?$/,
  space:
    /^[+-]?\d{1,3}([ \u00a0\u2009\u202f]\d{3}([ \u00a0\u2009\u202f]\d{3})+|[ \u00a0\u2009\u202f]\d{3}\.\d+)/,
};

/**
 * The separator of thousands of all columns that have one: every value of such a column is a number with it, and one of them
 * is certainly none without. Undefined if there is none, or if there are two.
 */
function thousandsOf(columns: ReadonlyMap<string, readonly string[]>): Thousands | undefined {
  const found = new Set<Thousands>();
  for (const [name, cells] of columns) {
    if (isIdentifierName(name) || cells.length === 0 || cells.every(isNumber)) continue;
    for (const each of THOUSANDS)
      if (
        cells.every((cell) => plainNumber(cell.trim(), each) !== undefined) &&
        cells.some((cell) => CERTAIN[each].test(cell.trim()))
      )
        found.add(each);
  }
  const [one, other] = found;
  return other === undefined ? one : undefined;
}

function columnsIn(samples: readonly Sample[]): Map<string, string[]> {
  const columns = new Map<string, string[]>();
  for (const { header, rows } of samples)
    for (const [index, name] of (header ?? []).entries()) {
      const cells = columns.get(name) ?? [];
      for (const row of rows) if (row[index]) cells.push(row[index]);
      columns.set(name, cells);
    }
  return columns;
}

/** The texts that stand for nothing in columns that otherwise hold numbers, booleans or times. */
function nullTexts(columns: ReadonlyMap<string, readonly string[]>): string[] {
  const found = new Set<string>();
  const inTexts = new Set<string>();
  for (const cells of columns.values()) {
    const nulls = new Set(cells.filter(isNull));
    if (nulls.size === 0) continue;
    const values = cells.filter((cell) => !nulls.has(cell));
    const typed =
      values.length > 0 &&
      (values.every(isNumber) ||
        values.every(isBoolean) ||
        values.every((value) => amountOf(value)?.isMarked) ||
        timesIn({ values, type: 'string' }).length > 0);
    for (const text of nulls) (typed || NULLS.has(text) ? found : inTexts).add(text);
  }
  const spaces = [...found].filter((text) => text.trim() === '');
  return [...found].filter((text) =>
    text.trim() === '' ? spaces.length <= MAX_SPACES : DASHES.has(text) || !inTexts.has(text),
  );
}

/**
 * Returns whether numbers are written with a decimal comma, and none with a decimal point. `strict`: each of them has two
 * digits after it.
 */
function hasDecimalCommas(columns: ReadonlyMap<string, readonly string[]>, strict: boolean): boolean {
  const certain = strict ? /^[+-]?[\d.]*\d,\d\d$/ : /^[+-]?[\d.]*\d,\d+(e[+-]?\d+)?$/i;
  let commas = 0;
  for (const [name, cells] of columns) {
    if (isIdentifierName(name) || cells.length === 0) continue;
    if (cells.every((cell) => isNumber(cell)) && cells.some(hasPoint)) return false;
    const all = cells.every((cell) => plainNumber(cell.trim(), 'comma') !== undefined);
    const withComma = cells.filter((cell) => cell.includes(','));
    if (strict && all && !withComma.every((cell) => certain.test(cell.trim()))) return false;
    if (all && withComma.some((cell) => certain.test(cell.trim()) && !/^\d{1,3},\d{3}$/.test(cell))) commas++;
  }
  return commas > 0;
}

/** A point that can only be a decimal one: behind it are not the three digits of a thousand. */
function hasPoint(cell: string): boolean {
  return cell.includes('.') && !/^-?\d{1,3}(\.\d{3})+$/.test(cell);
}

/**
 * A column of numbers whose points may separate thousands, such as 1.306, where another column of the table has decimal
 * commas; undefined if there is none, or if a flag says how they are read.
 */
export function pointedThousands(sample: Sample, mapping: Mapping): string | undefined {
  if (mapping.decimalComma !== undefined || mapping.thousands !== undefined) return undefined;
  const columns = columnsIn([sample]);
  const pointed = [...columns].find(
    ([name, cells]) =>
      !mapping.types.has(name) &&
      cells.every((cell) => isNumber(cell)) &&
      cells.some((cell) => /^-?[1-9]\d{0,2}\.\d{3}$/.test(cell)),
  );
  return pointed && hasDecimalCommas(columns, sample.delimiter === ',') ? pointed[0] : undefined;
}

/** The flags that make JSON records flat, unless they are typed. `taken`: paths that are fields already. */
export function shapeFlags(
  profiles: readonly Profile[],
  mapping: Mapping,
  taken: ReadonlySet<string>,
  nested: 'flatten' | 'json',
): Flag[] {
  const { kind, extraFields } = mapping;
  const freePart = FREE_PART[kind];
  const used = new Set([...columnsOf(mapping.map), ...taken, ...(mapping.drop ?? [])]);
  const rest = profiles.filter(({ name }) => !used.has(name) && !FIELDS[kind].includes(name));
  // Traits of these names would lose the consent of all users.
  if (rest.some(({ name }) => isLostConsent(kind, name))) return [];
  const top = ({ name }: Profile) => name.split('.', 1)[0]!;
  const flags: Flag[] = [];
  if (extraFields === undefined && rest.some((profile) => top(profile) !== freePart))
    flags.push(['extra-fields', 'properties']);
  const isNested = (profile: Profile) =>
    profile.nested > 0 || profile.depth > (top(profile) === freePart ? 2 : 1);
  if (mapping.nested === undefined && rest.some((profile) => profile.name !== freePart && isNested(profile)))
    flags.push(['nested', nested]);
  const nullable = profiles.filter(({ name }) => !used.has(name) || name === freePart);
  if (mapping.nulls === undefined && nullable.some(({ nulls }) => nulls > 0)) flags.push(['nulls', 'drop']);
  return flags;
}
