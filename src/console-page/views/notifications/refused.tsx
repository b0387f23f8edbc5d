import type { VNode } from 'preact';
import type { Refused } from '../../data/refused.ts';
import { count, counted } from '../../parts/numbers.ts';
import { type Column, Table } from '../../parts/table.tsx';
import { Cut } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { Box } from '../../parts/view.tsx';

/** Why requests were refused, the most frequent reason first. `what` was refused, such as a `trigger`. */
export function RefusedBox({ of, what }: { of: Refused; what: 'trigger' | 'request' }): VNode {
  return (
    <Box
      title={
        <>
          {counted(of.n, `${what} was`, `${what}s were`)} refused
          {what === 'request' && ' or turned away'} since <Time at={of.since} />
        </>
      }
      label="Refused"
      note="answered with 4xx by the process of this console, counted for 24 hours; nothing was done or stored"
    >
      <Table
        label="Refused"
        dense
        rows={of.rows}
        keyOf={({ endpoint, error, reason }) => `${endpoint} ${error} ${reason}`}
        columns={COLUMNS}
      />
    </Box>
  );
}

const COLUMNS: readonly Column<Refused['rows'][number]>[] = [
  {
    title: 'Why',
    cell: ({ reason, status }) =>
      status === 429 ? (
        <a href="/limits">
          <Cut of={reason} long />
        </a>
      ) : (
        <Cut of={reason} long />
      ),
  },
  { title: 'Answer', wide: true, cell: ({ status, error }) => `${status} ${error}` },
  { title: 'Endpoint', wide: true, cell: ({ endpoint }) => endpoint },
  { title: 'Times', align: 'end', cell: ({ count: n }) => count(n) },
  { title: 'Last', align: 'end', cell: ({ lastAt }) => <Time at={lastAt} /> },
];
