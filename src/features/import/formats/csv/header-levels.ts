import { isBlank } from './csv-rows.ts';
import { isShaped, isValue } from './header.ts';

/** Most lines of a header, and fewest rows below it by which they are told. */
const MAX_LEVELS = 5;
const MIN_BELOW = 3;

/** The lines of a header of several levels. */
export interface HeaderLevels {
  /** What the first cell of each says; empty where it says nothing. */
  readonly names: readonly string[];
  /** The lines with that of the name of the first column, which has no other cells. */
  readonly lines: number;
}

/**
 * Finds the lines of a header as pandas writes columns of several levels: the first cell of each names the level, and the name
 * of an upper level comes again above each of its columns. Undefined for one line, and for lines that are rows.
 */
export function headerLevels(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): HeaderLevels | undefined {
  const lines = [header, ...rows];
  const first = lines.findIndex(
    (row) => row.length !== header.length || isValue(row[0]!) || isOnlyNamed(row),
  );
  if (first < 2 || first > MAX_LEVELS) return undefined;
  const levels = lines.slice(0, first);
  const below = lines.slice(first).filter((row) => !isOnlyNamed(row));
  const keys = below.map(([key]) => key!);
  if (keys.length < MIN_BELOW || !isShaped(keys)) return undefined;
  const columns = header.slice(1);
  const paths = columns.map((_, i) => JSON.stringify(levels.map((level) => level[i + 1])));
  if (new Set(columns).size === columns.length || new Set(paths).size < paths.length) return undefined;
  return {
    names: levels.map(([name]) => name!.trim()),
    lines: first + (isOnlyNamed(lines[first]!) ? 1 : 0),
  };
}

/** Returns whether nothing but the first cell of a row has text, or not even that. */
function isOnlyNamed(row: readonly string[]): boolean {
  return row.length > 1 && row.slice(1).every(isBlank);
}
