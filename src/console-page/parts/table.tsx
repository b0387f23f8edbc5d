import type { ComponentChildren, RefObject, VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Filters } from '../data/filters.ts';
import { ROWS, useArrowKeys } from './focus/arrow-keys.ts';

export interface Column<T> {
  readonly title: string;
  readonly note?: string;
  readonly cell: (row: T) => ComponentChildren;
  /** `end` for figures. */
  readonly align?: 'end';
  /** Left out where there is little room: what is shown elsewhere too, such as in the detail. */
  readonly wide?: boolean;
  /** What the rows are sorted by when the title of the column is pressed. */
  readonly sortBy?: (row: T) => string | number;
}

/** The order of texts. */
const TEXTS = new Intl.Collator('en');

/** A column by which rows are sorted, with `-` before it for the largest first: `-Served`. */
const SORT = /^(-?)(.+)$/s;

/** The rows in the order that a view keeps in its URL; as they are without one. */
function sortedRows<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  sort: string | undefined,
): readonly T[] {
  const [, minus, title] = SORT.exec(sort ?? '') ?? [];
  const by = columns.find((column) => column.title === title)?.sortBy;
  if (!by) return rows;
  const compare = (a: T, b: T) => {
    const [x, y] = [by(a), by(b)];
    return typeof x === 'number' && typeof y === 'number' ? x - y : TEXTS.compare(String(x), String(y));
  };
  return [...rows].sort((a, b) => (minus ? compare(b, a) : compare(a, b)));
}

/**
 * A table. The first cell of a row is its heading, and holds the link to its detail where there is one; the arrow keys move
 * between these, and a click anywhere on the row follows it. With `filters`, columns can be sorted by, which the URL keeps.
 */
export function Table<T>(props: {
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
  /** The row whose detail is shown. */
  current?: (row: T) => boolean;
  /** One short line a row. */
  dense?: boolean;
  filters?: Filters;
}): VNode {
  const { label, columns, rows, keyOf, current, dense = false, filters } = props;
  const list = useRef<HTMLDivElement>(null);
  useArrowKeys(list, ROWS);
  useRowClicks(list);
  const classOf = ({ align, wide }: Column<T>) => `${align ?? ''}${wide ? ' wide' : ''}` || undefined;
  const sort = filters?.values.sort;
  const shown = sortedRows(rows, columns, sort);
  return (
    <div class={dense ? 'table dense' : 'table'} ref={list}>
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" class={classOf(column)} aria-sort={orderOf(column, sort)}>
                {filters && column.sortBy ? (
                  <SortButton title={column.title} filters={filters} sort={sort} />
                ) : (
                  column.title
                )}
                {column.note && <span class="note">{column.note}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={keyOf(row)} class={current?.(row) ? 'current' : undefined}>
              {columns.map((column, index) =>
                index === 0 ? (
                  <th scope="row" class={classOf(column)}>
                    {column.cell(row)}
                  </th>
                ) : (
                  <td class={classOf(column)}>{column.cell(row)}</td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Makes a click anywhere on a row do what its first link or button does, which keys reach by themselves. */
export function useRowClicks(list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = list.current!;
    const onClick = (event: MouseEvent) => {
      const at = event.target as Element;
      // What has a meaning of its own keeps it, and text can be selected.
      if (at.closest('a, button, input, select, label, summary') || !getSelection()!.isCollapsed) return;
      const target = at.closest('tbody tr')?.querySelector('th :is(a, button)');
      target?.dispatchEvent(new MouseEvent('click', event));
    };
    element.addEventListener('click', onClick);
    return () => element.removeEventListener('click', onClick);
  }, [list]);
}

const orderOf = ({ title }: { title: string }, sort: string | undefined) =>
  sort === title ? 'ascending' : sort === `-${title}` ? 'descending' : undefined;

/** Sorts by a column, the largest first; again, the smallest first; once more, as it came. */
function SortButton(props: { title: string; filters: Filters; sort: string | undefined }): VNode {
  const { title, filters, sort } = props;
  const next = sort === `-${title}` ? title : sort === title ? '' : `-${title}`;
  const order = orderOf({ title }, sort);
  return (
    <button type="button" class="sort" onClick={() => filters.set({ sort: next }, true)}>
      {title}
      <span aria-hidden="true">{order === 'descending' ? ' ↓' : order === 'ascending' ? ' ↑' : ' ↕'}</span>
    </button>
  );
}

/** Lets the reader leave out columns of a table, which the URL keeps. The first always stays. */
export function ColumnChoice<T>({
  columns,
  filters,
}: {
  columns: readonly Column<T>[];
  filters: Filters;
}): VNode {
  const hidden = hiddenOf(filters);
  const toggle = (title: string) => {
    const next = hidden.includes(title) ? hidden.filter((each) => each !== title) : [...hidden, title];
    filters.set({ hide: next.join(',') }, true);
  };
  return (
    <details class="choose">
      <summary class="button">Columns</summary>
      <fieldset>
        <legend class="visually-hidden">Columns</legend>
        {columns.slice(1).map(({ title }) => (
          <label>
            <input type="checkbox" checked={!hidden.includes(title)} onChange={() => toggle(title)} /> {title}
          </label>
        ))}
      </fieldset>
    </details>
  );
}

/** The columns that the reader has not left out. */
export const chosenColumns = <T,>(columns: readonly Column<T>[], filters: Filters): readonly Column<T>[] =>
  columns.filter(({ title }, i) => i === 0 || !hiddenOf(filters).includes(title));

const hiddenOf = ({ values }: Filters): readonly string[] => (values.hide ? values.hide.split(',') : []);
