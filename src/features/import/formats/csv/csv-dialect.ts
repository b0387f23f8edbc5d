import type { Quote } from '../reading.ts';
import { isBlank } from './csv-rows.ts';
import { fieldsDirective, linesIn } from './fields-directive.ts';
import { couldBeNames, moreHeaderLines } from './header.ts';
import { type HeaderLevels, headerLevels } from './header-levels.ts';
import { type Named, namesAbove } from './names-above.ts';
import { commonWidth, rowsOf, type SampleRow } from './sample-rows.ts';

/** How a CSV is written, told from its beginning. */
export interface Dialect {
  readonly delimiter: string;
  /** Bytes and lines before the header, or before the first row if there is none. */
  readonly skipBytes: number;
  readonly skipLines: number;
  /** The first of those lines, for a notice; undefined if they say nothing to the user. */
  readonly title: string | undefined;
  /** The line among them that names the columns, where the table has no header. */
  readonly names?: readonly string[] | undefined;
  /** The header ends in a delimiter that the rows do not have. */
  readonly longHeader?: boolean;
  /** The last line before the table, where it could name the columns and the first row of the table does not. */
  readonly named?: Named | undefined;
  /** Rows below the header that are further lines of it. */
  readonly moreHeaders?: number;
  /** The header has several lines, none of which names the columns alone. */
  readonly levels?: HeaderLevels | undefined;
  /** The number of cells of the rows, where the last one is empty in all of them. */
  readonly emptyAt?: number | undefined;
  /** Lines that start with # are comments, wherever they are. */
  readonly comments?: boolean;
  /** Header and rows agree in their number of cells. */
  readonly isTable: boolean;
}

/** The last one is a tab as programs write it that do not make one of its escape. */
const CANDIDATES = [',', ';', '\t', '|', '||', '::', '\x01', '\\t'];
/** Delimiters of tables that none of those fits. */
const RARE = ['~', '^', '+', '¦', '§', '\x1f'];
/** A pair of characters also occurs inside cells: it is the delimiter where no single character is. */
const PAIR_PENALTY = 0.05;
/** With a lower score, a table is separated by spaces or a rare delimiter, if its rows agree on that. */
const MIN_SCORE = 0.2;
const SPACES_AGREE = 0.9;
const MIN_SPACED = 4;
/** Lines that may come before the header. */
const MAX_SKIPPED = 50;
/** Share of rows that must have as many cells as the header below other lines, and where none has more cells. */
const AGREEMENT = 0.8;
const MIN_AGREEMENT = 0.5;

/**
 * Finds the delimiter, and the lines before the header: Excel's `sep=`, comments and titles. `head` is the beginning of
 * the text. The delimiter is the one under which the header and the rows have the same number of cells.
 */
export function findDialect(head: Buffer, given: string | undefined, quote?: Quote): Dialect {
  const separator = /^sep=(.{1,16}?)\r?\n/i.exec(head.toString('utf8', 0, 64));
  const from = separator ? Buffer.byteLength(separator[0]) : 0;
  const delimiter = given ?? separator?.[1];
  const fields = fieldsDirective(head, from, delimiter, quote);
  if (fields) return { ...fields, comments: true, isTable: true };
  const best = bestOf(head, from, delimiter, quote);
  const { lines } = best;
  return {
    delimiter: best.score > 0 || delimiter !== undefined ? best.delimiter : ',',
    skipBytes: best.skipBytes,
    skipLines: linesIn(head.subarray(0, best.skipBytes)),
    title: lines.find((line) => line.trim() !== ''),
    longHeader: best.longHeader,
    named: best.named,
    moreHeaders: best.moreHeaders,
    levels: best.levels,
    emptyAt: best.emptyAt,
    isTable: best.score > 0,
  };
}

function bestOf(head: Buffer, from: number, given: string | undefined, quote: Quote | undefined): Judged {
  if (given !== undefined) return judge(head, from, given, quote);
  const judged = CANDIDATES.map((one) => judge(head, from, one, quote));
  const best = judged.reduce((a, b) => (b.score > a.score ? b : a));
  const bars = judged[CANDIDATES.indexOf('||')]!;
  // Single bars leave an empty cell between any two.
  if (best.delimiter === '|' && bars.width * 2 - 1 === best.width && bars.score > AGREEMENT) return bars;
  if (best.score >= MIN_SCORE) return best;
  const rare = RARE.map((one) => judge(head, from, one, quote)).find(
    ({ rows, width, score }) => rows > 2 && width >= MIN_SPACED && score >= SPACES_AGREE,
  );
  if (rare) return rare;
  const spaced = judge(head, from, ' ', quote);
  const certain = spaced.rows > 2 || head.includes('"');
  return certain && spaced.width >= MIN_SPACED && spaced.score >= SPACES_AGREE ? spaced : best;
}

interface Judged {
  readonly delimiter: string;
  /** More for more rows that agree, then for more cells; 0 if there is one cell in each row. */
  readonly score: number;
  readonly width: number;
  readonly rows: number;
  readonly skipBytes: number;
  readonly lines: readonly string[];
  readonly longHeader: boolean;
  readonly named: Named | undefined;
  readonly moreHeaders: number;
  readonly levels: HeaderLevels | undefined;
  readonly emptyAt: number | undefined;
}

function judge(head: Buffer, from: number, delimiter: string, quote: Quote | undefined): Judged {
  const rows = rowsOf(head, from, delimiter, quote);
  const width = commonWidth(rows);
  const plain = {
    delimiter,
    width,
    rows: rows.length,
    score: 0,
    skipBytes: from,
    lines: [],
    longHeader: false,
    named: undefined,
    moreHeaders: 0,
    levels: undefined,
    emptyAt: undefined,
  };
  if (width < 2) return { ...plain, ...afterComments(rows, head, from) };
  const filled = rows.filter(({ cells }) => countFilled(cells) > 0);
  const isWide = filled.filter(({ cells }) => countFilled(cells) > 1).length * 2 > filled.length;
  const first = filled.find((row, index) => isHeader(row, filled[index + 1], width, isWide));
  const header = first ? rows.indexOf(first) : -1;
  if (!first || header > MAX_SKIPPED) return plain;
  const below = rows.slice(header);
  const different = below.filter(({ cells, isBroken }) => cells.length !== width || isBroken).length;
  const agreeing = 1 - different / below.length;
  const least = rows.some(({ cells }) => cells.length > width) ? AGREEMENT : MIN_AGREEMENT;
  // In a short file, one bad row is a large share.
  if (header > 0 && different > 1 && agreeing < least) return plain;
  const penalty = delimiter === '::' || delimiter === '\\t' ? PAIR_PENALTY : 0;
  // A header that all rows agree with is worth more than rows that agree without it.
  const score = agreeing - header / 1000 + Math.min(width, 1000) / 1_000_000 - penalty;
  const before = rows[header - 1];
  const longHeader = before !== undefined && isLongHeader(before, width);
  const own = before !== undefined && (longHeader || isShortHeader(before, below, width)) ? before : first;
  const lines = rows.slice(0, rows.indexOf(own)).map(({ text }) => text);
  const next = rows
    .slice(rows.indexOf(own) + 1)
    .filter(({ text }) => text !== own.text)
    .map(({ cells }) => cells);
  return {
    ...plain,
    score,
    skipBytes: own.start,
    lines,
    longHeader,
    named: own === before ? undefined : namesAbove(before, first, next),
    moreHeaders: moreHeaderLines(own.cells, next),
    levels: headerLevels(own.cells, next),
    emptyAt: emptyEnd(rows.slice(rows.indexOf(own) + 1), width, own.cells.length + 1),
  };
}

/** Returns whether a row above others names each of their columns but the last, which is empty in all of them. */
function isShortHeader({ cells, isBroken }: SampleRow, below: readonly SampleRow[], width: number): boolean {
  return (
    !isBroken &&
    cells.length === width - 1 &&
    couldBeNames(cells) &&
    below.every((row) => row.cells.length < width || isBlank(row.cells.at(-1)))
  );
}

/** Returns whether a row above others names each of their columns, and ends in one more delimiter. */
function isLongHeader({ cells, isBroken }: SampleRow, width: number): boolean {
  const names = cells.map((cell) => cell.trim());
  return (
    !isBroken && names.length === width + 1 && names.indexOf('') === width && new Set(names).size > width
  );
}

/** A title may be padded to the width of the table: then only its first cell has text. `isWide`: most rows have more. */
function isHeader(
  { cells, text }: SampleRow,
  next: SampleRow | undefined,
  width: number,
  isWide: boolean,
): boolean {
  if (cells.length !== width) return false;
  // `#id,name` is a header, `# id, name` a comment, and so is a line before another one like it.
  if (/^#\s/.test(text) || (text.startsWith('#') && next?.text.startsWith('#'))) return false;
  return width < 3 || countFilled(cells) !== 1 || !next || !(isWide || countFilled(next.cells) > 1);
}

function countFilled(cells: readonly string[]): number {
  return cells.filter((cell) => cell.trim() !== '').length;
}

/** Skips the comments before a table of one column. */
function afterComments(rows: readonly SampleRow[], head: Buffer, from: number) {
  const first = rows.findIndex(({ text }) => !text.startsWith('#'));
  if (first <= 0) return { skipBytes: from, lines: [] };
  return {
    skipBytes: rows[first]?.start ?? head.length,
    lines: rows.slice(0, first).map(({ text }) => text),
  };
}

/** The number of cells of the rows of one of these widths, if the last one is empty in all of them. */
function emptyEnd(rows: readonly SampleRow[], ...widths: readonly number[]): number | undefined {
  return widths.find((width) => {
    const full = rows.filter(({ cells }) => cells.length === width);
    return full.length > 0 && full.every(({ cells }) => isBlank(cells.at(-1)));
  });
}
