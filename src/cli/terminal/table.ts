import Table from 'cli-table3';
import stringWidth from 'string-width';
import { sanitizeLine } from './sanitize.ts';
import { bold, render, type Text } from './text.ts';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Never truncated, such as an identifier to copy. */
  readonly whole?: boolean;
}

/** Minimum width of a truncated column; where it cannot be kept, rows become records. */
const NARROWEST = 12;

/**
 * Renders a table. On a terminal it has borders and long cells are truncated with an ellipsis; on a narrow terminal each
 * row becomes a record of lines; in a pipe rows are tab-separated lines. Cells are sanitized.
 */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly Text[])[],
  { width, color }: { width: number | undefined; color: boolean },
): string {
  const cells = rows.map((row) => row.map((cell) => render(cell, color, sanitizeLine)));
  if (width === undefined) {
    return [columns.map((column) => column.title), ...cells].map((row) => row.join('\t')).join('\n');
  }
  const widths = shrink(
    columns,
    columns.map((column, i) =>
      Math.max(stringWidth(column.title), ...cells.map((row) => stringWidth(row[i] ?? ''))),
    ),
    width,
  );
  if (widths === undefined) return records(columns, cells, color);
  const made = new Table({
    head: columns.map((column) => render(bold(column.title), color)),
    colWidths: widths.map((w) => w + 2),
    colAligns: columns.map((column) => column.align ?? 'left'),
    style: { head: [], border: [], compact: true },
    truncate: '…',
  });
  made.push(...cells);
  return made.toString();
}

/** Shrinks the widest columns until the table fits; undefined where it cannot. */
function shrink(columns: readonly Column[], natural: number[], width: number): number[] | undefined {
  const widths = [...natural];
  const borders = widths.length * 3 + 1;
  const over = () => widths.reduce((sum, w) => sum + w, borders) - width;
  while (over() > 0) {
    const candidates = widths.map((w, i) => (columns[i]!.whole ? 0 : w));
    const widest = Math.max(...candidates);
    if (widest <= NARROWEST) return undefined;
    widths[candidates.indexOf(widest)]!--;
  }
  return widths;
}

/** Renders each row as lines of title and cell, with a blank line between rows. */
function records(columns: readonly Column[], rows: readonly (readonly string[])[], color: boolean): string {
  const longest = Math.max(...columns.map(({ title }) => stringWidth(title)));
  const title = (text: string) => render(bold(text), color) + ' '.repeat(longest - stringWidth(text));
  return rows
    .map((row) => columns.map((column, i) => `${title(column.title)}  ${row[i] ?? ''}`.trimEnd()).join('\n'))
    .join('\n\n');
}
