import type { ComponentChildren, VNode } from 'preact';

export interface Column<T> {
  readonly title: string;
  readonly note?: string;
  readonly cell: (row: T) => ComponentChildren;
  /** `end` for figures. */
  readonly align?: 'end';
  /** Left out where there is little room: what is shown elsewhere too, such as in the detail. */
  readonly wide?: boolean;
}

/** A table. The first cell of a row is its heading, and holds the link to its detail where there is one. */
export function Table<T>(props: {
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
  /** The row whose detail is shown. */
  current?: (row: T) => boolean;
}): VNode {
  const { label, columns, rows, keyOf, current } = props;
  const classOf = ({ align, wide }: Column<T>) => `${align ?? ''}${wide ? ' wide' : ''}` || undefined;
  return (
    <div class="table">
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" class={classOf(column)}>
                {column.title}
                {column.note && <span class="note">{column.note}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
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
