import type { VNode } from 'preact';
import type { ConsoleService } from '../../../contract/console.ts';
import { requestLine } from '../../data/api.ts';
import { type Delay, delayOf } from '../../data/delays.ts';
import { ENOUGH, isMeasured } from '../../data/measured.ts';
import { Spark } from '../../parts/charts/spark.tsx';
import { count, counted, percent } from '../../parts/numbers.ts';
import { type Column, Table } from '../../parts/table.tsx';
import { Cut } from '../../parts/text.tsx';
import { duration } from '../../parts/time.tsx';
import { Box } from '../../parts/view.tsx';

type Requests = NonNullable<ConsoleService['requests']>;
type Row = Requests[number];

/** What the answer of a decision should take at most, in ms. */
const TARGET_MS = 100;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** A line through fewer minutes tells nothing. */
const MIN_MINUTES = 5;

/** What came to each endpoint in the last hour, how long it took and why, and what failed. */
export function RequestsBox(props: {
  of: Requests;
  byMinute: readonly number[] | null;
  /** How long the process counts already, in ms. */
  ageMs: number;
  delays: readonly Delay[];
}): VNode {
  const { of, byMinute, delays } = props;
  const spanMs = Math.min(HOUR_MS, Math.max(MINUTE_MS, props.ageMs));
  const when = spanMs < HOUR_MS ? `in ${minutesWords(spanMs)}, since this process began` : 'in the last hour';
  const all = of.reduce((sum, { requests }) => sum + requests, 0);
  const failed = of.reduce((sum, each) => sum + each.failed, 0);
  const refused = of.reduce((sum, each) => sum + each.refused, 0);
  const turned = of.reduce((sum, each) => sum + each.turnedAway, 0);
  const parts = [
    failed === 0 ? 'none failed' : `${percent(failed / all)} failed`,
    refused > 0 && `${count(refused)} ${refused === 1 ? 'was' : 'were'} refused`,
    turned > 0 && `${count(turned)} ${turned === 1 ? 'was' : 'were'} turned away by a limit`,
  ].filter(Boolean);
  // Without the minute that is not over, which looks like a decrease.
  const minutes = byMinute?.slice(-Math.ceil(spanMs / MINUTE_MS) - 1, -1) ?? [];
  const most = Math.max(0, ...minutes);
  return (
    <Box
      title={
        all === 0 ? `No request came ${when}` : `${counted(all, 'request')} ${when}: ${parts.join(', ')}`
      }
      label="Requests"
      note={`to the process of this console, without the console’s own; times are of the latest 1,000 answers, where ${ENOUGH} came or more`}
    >
      {all > 0 && (
        <>
          {minutes.length >= MIN_MINUTES && (
            <div>
              <Spark
                label={`Requests each minute of ${minutesWords(spanMs)}, at most ${count(most)}`}
                values={minutes}
              />
              <p class="note">
                {minutesWords(spanMs)} until now, at most {count(most)} a minute
              </p>
            </div>
          )}
          <Table
            label="Requests"
            dense
            rows={of}
            keyOf={({ endpoint }) => endpoint}
            columns={columnsOf(spanMs, delays)}
          />
          {turned > 0 && (
            <p class="note">
              <a href="/limits">Which keys were turned away</a>
            </p>
          )}
        </>
      )}
    </Box>
  );
}

/** A length of time to the minute: `4 minutes`, `the last hour`. */
const minutesWords = (ms: number): string =>
  ms < HOUR_MS ? counted(Math.round(ms / MINUTE_MS), 'minute') : 'the last hour';

/** How many requests there are a minute, with two digits where that is less than one. */
function rateWords(requests: number, ms: number): string {
  const rate = (requests * MINUTE_MS) / ms;
  return count(Number(rate < 1 ? rate.toPrecision(2) : rate.toFixed(1)));
}

/** What the parts of an answer are called. */
const PARTS = [
  ['waitMs', 'waiting for a turn'],
  ['workMs', 'working'],
  ['storeMs', 'storing'],
] as const;

/** The part that takes most of the slowest answers, with its share; undefined where that is not known. */
function slowPart({ slowest }: Row) {
  if (!slowest) return undefined;
  const all = PARTS.reduce((sum, [part]) => sum + slowest[part], 0);
  const [part, name] = [...PARTS].sort(([a], [b]) => slowest[b] - slowest[a])[0]!;
  return all > 0 ? { name, share: slowest[part] / all } : undefined;
}

/** How long decisions take, and what makes them slow: a fault, or a part of the work. Undefined without any. */
export function decideWords(of: Requests, delays: readonly Delay[]): string | undefined {
  const row = of.find(({ endpoint }) => endpoint === 'decide');
  const delay = delayOf(delays, 'decide');
  const latency = row && isMeasured(row) ? row.latency : null;
  const p95 = latency && duration(latency.p95Ms);
  if (delay)
    return `a fault answers ${delay.always ? '' : 'some '}decisions ${duration(delay.delayMs)} late${p95 ? `; without it, 95 % take at most ${p95}` : ''}`;
  if (!row || !latency) return undefined;
  const part = slowPart(row);
  return latency.p95Ms > TARGET_MS
    ? `decisions are slow: 5 % take more than ${p95}${part ? `, ${percent(part.share)} of it ${part.name}` : ''}`
    : `95 % of decisions take at most ${p95}`;
}

const time = (ms: number | undefined) => (ms === undefined ? '–' : duration(ms));
const bad = (n: number) => (n === 0 ? '0' : <span class="bad">{count(n)}</span>);

const columnsOf = (spanMs: number, delays: readonly Delay[]): readonly Column<Row>[] => [
  {
    title: 'Endpoint',
    cell: ({ endpoint }) => {
      const delay = delayOf(delays, endpoint);
      return (
        <>
          {endpoint}
          {/* Not in a column of times: these are measured without it. */}
          {delay && (
            <a class="note added" href="/faults">
              + {duration(delay.delayMs)} by a fault
            </a>
          )}
        </>
      );
    },
  },
  { title: 'Path', wide: true, cell: ({ endpoint }) => <Cut of={requestLine(endpoint)} /> },
  { title: 'Requests', align: 'end', cell: ({ requests }) => count(requests) },
  {
    title: 'Rate',
    note: 'a minute',
    align: 'end',
    wide: true,
    cell: ({ requests }) => rateWords(requests, spanMs),
  },
  {
    title: 'Half within',
    note: 'P50',
    align: 'end',
    wide: true,
    cell: (row) => (isMeasured(row) ? time(row.latency?.p50Ms) : ''),
  },
  {
    title: '95 % within',
    note: 'P95',
    align: 'end',
    cell: (row) => (isMeasured(row) ? time(row.latency?.p95Ms) : <span class="note">too few</span>),
  },
  {
    title: 'Most time',
    note: 'of the slowest 5 %',
    wide: true,
    cell: (row) => {
      const part = isMeasured(row) ? slowPart(row) : undefined;
      return part && `${percent(part.share)} ${part.name}`;
    },
  },
  {
    title: 'Turned away',
    note: '429',
    align: 'end',
    wide: true,
    cell: ({ turnedAway }) => (turnedAway === 0 ? '0' : <span class="warned">{count(turnedAway)}</span>),
  },
  { title: 'Refused', note: 'other 4xx', align: 'end', wide: true, cell: ({ refused }) => count(refused) },
  {
    title: 'Failed',
    note: '5xx',
    align: 'end',
    cell: ({ failed, byFaults }) => (
      <>
        {bad(failed)}
        {byFaults > 0 && (
          <a class="note added" href="/faults" title="Answered with 5xx or 429 by an injected fault">
            {count(byFaults)} by a fault
          </a>
        )}
      </>
    ),
  },
];
