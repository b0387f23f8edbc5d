import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';

/** The figures of a chart as a table, for those who do not see it or want to copy them. Nothing of it is made until it is opened. */
export function Figures(props: {
  label: string;
  /** Titles of the columns; the first column names the rows. */
  heads: readonly ComponentChildren[];
  rows: () => readonly (readonly ComponentChildren[])[];
}): VNode {
  const { label, heads, rows } = props;
  const [open, setOpen] = useState(false);
  return (
    <details class="figures" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Figures as a table</summary>
      {open && (
        <div class="table">
          <table aria-label={label}>
            <thead>
              <tr>
                {heads.map((head, i) => (
                  <th scope="col" class={i === 0 ? undefined : 'end'}>
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows().map(([name, ...cells], i) => (
                <tr key={i}>
                  <th scope="row">{name}</th>
                  {cells.map((cell) => (
                    <td class="end">{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}
