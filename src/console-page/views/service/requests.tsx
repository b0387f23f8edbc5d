import type { VNode } from 'preact';
import type { ConsoleService } from '../../../contract/console.ts';
import type { EndpointName } from '../../../contract/endpoints.ts';
import { OPERATIONS } from '../../../contract/operations.gen.ts';
import { count, counted, percent } from '../../parts/numbers.ts';
import { type Column, Table } from '../../parts/table.tsx';
import { duration } from '../../parts/time.tsx';
import { Box } from '../../parts/view.tsx';

type Requests = NonNullable<ConsoleService['requests']>;
type Row = Requests[number];

/** What came to each endpoint in the last hour, how long it took, and what failed. */
export function RequestsBox({ of, faults }: { of: Requests; faults: boolean }): VNode {
  const all = of.reduce((sum, { requests }) => sum + requests, 0);
  const failed = of.reduce((sum, each) => sum + each.failed, 0);
  const refused = of.reduce((sum, each) => sum + each.refused, 0);
  return (
    <Box
      title={
        all === 0
          ? 'No request came in the last hour'
          : `${counted(all, 'request')} in the last hour: ${failed === 0 ? 'none failed' : `${percent(failed / all)} failed`}${refused === 0 ? '' : `, ${percent(refused / all)} ${refused === 1 ? 'was' : 'were'} refused`}`
      }
      label="Requests"
      note={`of this process, without those of the console; times are those of the latest 1,000 answers${faults ? ', without what faults add' : ''}`}
    >
      {all > 0 && (
        <Table label="Requests" dense rows={of} keyOf={({ endpoint }) => endpoint} columns={COLUMNS} />
      )}
    </Box>
  );
}

/** How many requests there are a second, or a minute or an hour where they are fewer. */
const rateWords = (requests: number): string =>
  requests >= 3600
    ? `${(requests / 3600).toFixed(1)}/s`
    : requests >= 60
      ? `${(requests / 60).toFixed(1)}/min`
      : `${requests}/h`;

/** The method and path of an endpoint; empty for one without. */
const pathWords = (endpoint: EndpointName): string => {
  const found = OPERATIONS[endpoint] as (typeof OPERATIONS)[EndpointName] | undefined;
  return found ? `${found.method} ${found.path}` : '';
};

const time = (ms: number | undefined) => (ms === undefined ? '–' : duration(ms));
const bad = (n: number) => (n === 0 ? '0' : <span class="bad">{count(n)}</span>);

const COLUMNS: readonly Column<Row>[] = [
  { title: 'Endpoint', cell: ({ endpoint }) => endpoint },
  { title: 'Path', wide: true, cell: ({ endpoint }) => pathWords(endpoint as EndpointName) },
  { title: 'Requests', align: 'end', cell: ({ requests }) => count(requests) },
  { title: 'Rate', align: 'end', wide: true, cell: ({ requests }) => rateWords(requests) },
  { title: 'P50', align: 'end', wide: true, cell: ({ latency }) => time(latency?.p50Ms) },
  { title: 'P95', align: 'end', cell: ({ latency }) => time(latency?.p95Ms) },
  { title: 'P99', align: 'end', wide: true, cell: ({ latency }) => time(latency?.p99Ms) },
  { title: 'Refused', note: '4xx', align: 'end', wide: true, cell: ({ refused }) => count(refused) },
  { title: 'Failed', note: '5xx', align: 'end', cell: ({ failed }) => bad(failed) },
];
