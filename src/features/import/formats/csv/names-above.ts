import { areTexts, isAboveValues } from './header.ts';
import type { SampleRow } from './sample-rows.ts';

/** A line that could name columns, and the names of as many as the rows have. */
export interface Named {
  readonly text: string;
  readonly names: readonly string[];
}

/** Names the column that has the names of the rows. */
const ROW_NAME = 'row';
/** The cells of the line before a table that could name its columns, unless the first row of the table does. */
export function namesAbove(
  before: SampleRow | undefined,
  first: SampleRow,
  next: readonly (readonly string[])[],
): Named | undefined {
  if (!before || before.isBroken) return undefined;
  const width = first.cells.length;
  const names = before.cells.map((cell, i) => (i === 0 ? cell.replace(/^#\s*/, '') : cell).trim());
  if (
    Math.abs(names.length - width) > Math.max(1, width / 10) ||
    !areTexts(names) ||
    isAboveValues(first.cells, next)
  )
    return undefined;
  const keys = [first.cells, ...next].filter(({ length }) => length === width).map(([key]) => key!);
  const all = names.length === width - 1 && areRowNames(keys, first.text) ? [ROW_NAME, ...names] : names;
  return { text: before.text, names: distinct(first.cells.map((_, i) => all[i] ?? `column${i + 1}`)) };
}

/**
 * Returns whether the first cells of rows are the names of the rows, which R and pandas write without a name above them:
 * R in quotes, and both as numbers where they have no others.
 */
function areRowNames(keys: readonly string[], row: string): boolean {
  if (new Set(keys).size < keys.length) return false;
  return row.startsWith('"') || keys.every((key, i) => Number(key) === Number(keys[0]) + i);
}

/** Numbers names that come again: `--columns` has each once. */
function distinct(names: readonly string[]): string[] {
  const seen = new Set<string>();
  return names.map((name) => {
    let own = name;
    for (let i = 1; seen.has(own); i++) own = `${name}_${i}`;
    seen.add(own);
    return own;
  });
}
