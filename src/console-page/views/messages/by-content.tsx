import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import { offers } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import type { Filters } from '../../data/filters.ts';
import { useResource } from '../../data/resource.ts';
import { useTrend } from '../../data/trends.ts';
import { Interval } from '../../parts/bars.tsx';
import { colourOf } from '../../parts/content-colours.ts';
import { count, counted, percent } from '../../parts/numbers.ts';
import { chartRangeOf, keptRange, rangeWords } from '../../parts/range.tsx';
import { Loading } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Cut } from '../../parts/text.tsx';
import { Box } from '../../parts/view.tsx';

type Trend = AnswerOf<'getDecisionTrend'>;
type Waiting = AnswerOf<'getOverview'>['messages']['waiting'][number];

/** What became of the messages of a content. */
interface Row extends Waiting {
  /** How often it was served in the range, and how often the user acted on it; undefined if it is not among the most served. */
  readonly total: NonNullable<Trend['contents'][number]['total']> | undefined;
}

/** How long the service keeps what contents earned, which is shown where no range is chosen. */
const COUNTED_MS = 400 * 86_400_000;
/** How often the waiting messages are counted again, in ms. */
const EVERY_MS = 30_000;

/** What was served and acted on in a range, and what waits now, by content. Nothing where the service says neither. */
export function ByContent(props: {
  filters: Filters;
  /** Called once it has been loaded, or could not be. */
  settled: () => void;
}): VNode | null {
  const { filters, settled } = props;
  const kept = keptRange(filters.values);
  const trend = useTrend(
    'getDecisionTrend',
    {
      ...(kept === '' ? { since: new Date(Date.now() - COUNTED_MS).toISOString() } : chartRangeOf(filters)),
      contents: '50',
    },
    `messages ${kept}`,
  );
  const when = kept === '' ? 'so far' : rangeWords(filters.values, trend.value);
  const overview = useResource(
    offers('getOverview') ? 'overview' : undefined,
    (signal) => call('getOverview', { signal }),
    EVERY_MS,
  );
  // It comes at once, so that nothing jumps.
  const isLoading =
    (trend.loading && !trend.value) || (overview.loading && !overview.value && !overview.error);
  useEffect(() => {
    if (!isLoading) settled();
  }, [isLoading]);
  if (isLoading) return <Loading what="what became of messages" />;
  if (!trend.value) return null;
  // A service of an earlier version does not say what waits.
  const rows = rowsOf(trend.value, overview.value?.messages.waiting ?? []);
  if (rows.length === 0) return null;
  const max = Math.max(...rows.map(({ total }) => total?.high ?? 0));
  return (
    <Box title={titleOf(rows, when)} label="By content" note={waitWords(rows)}>
      <details class="by-content">
        <summary>{counted(rows.length, 'content')}: served, acted on and waiting</summary>
        <p class="note">
          served and acted on {when}, of the contents that were served most; waiting now, of up to 5,000
          messages
        </p>
        <Table
          label="By content"
          dense
          rows={rows}
          keyOf={({ contentId }) => contentId}
          columns={columnsOf(max)}
        />
      </details>
    </Box>
  );
}

function rowsOf(trend: Trend, waiting: readonly Waiting[]): Row[] {
  const shown = trend.contents.flatMap(({ contentId, total }) => (total ? [{ contentId, total }] : []));
  const ids = new Set([...shown, ...waiting].map(({ contentId }) => contentId));
  return [...ids]
    .map((contentId) => ({
      unseen: 0,
      seen: 0,
      ...waiting.find((each) => each.contentId === contentId),
      contentId,
      total: shown.find((each) => each.contentId === contentId)?.total,
    }))
    .sort((a, b) => (b.total?.served ?? 0) - (a.total?.served ?? 0) || b.unseen + b.seen - a.unseen - a.seen);
}

/** How many of the messages were acted on, and of which content most. */
function titleOf(rows: readonly Row[], when: string): VNode {
  const served = rows.flatMap(({ contentId, total }) => (total ? [{ contentId, ...total }] : []));
  const [best] = [...served].sort((a, b) => b.rate - a.rate);
  const sum = (of: 'served' | 'rewarded') => served.reduce((all, each) => all + each[of], 0);
  if (!best) return <>Nothing was served {when}</>;
  return (
    <>
      {percent(sum('rewarded') / sum('served'))} of the {counted(sum('served'), 'message')} served {when}{' '}
      {sum('served') === 1 ? 'was' : 'were'} acted on, <Cut of={best.contentId} /> most often:{' '}
      {percent(best.rate)}
    </>
  );
}

/** How many messages wait now. */
function waitWords(rows: readonly Row[]): string {
  const sum = (of: 'unseen' | 'seen') => rows.reduce((all, row) => all + row[of], 0);
  return `Waiting now: ${count(sum('unseen'))} for an app, ${count(sum('seen'))} for the user’s answer`;
}

const columnsOf = (max: number): readonly Column<Row>[] => [
  {
    title: 'Content',
    cell: ({ contentId }) => (
      <a href={`/contents/${encodeURIComponent(contentId)}`}>
        <span class={`swatch ${colourOf(contentId)}`} aria-hidden="true" />
        <Cut of={contentId} />
      </a>
    ),
  },
  {
    title: 'Served',
    align: 'end',
    wide: true,
    cell: ({ total }) => (total ? count(total.served) : '–'),
  },
  {
    title: 'Acted on',
    cell: ({ total }) =>
      total ? (
        <Interval rate={total.rate} low={total.low} high={total.high} max={max} label={percent(total.rate)} />
      ) : (
        '–'
      ),
  },
  {
    title: 'Wait for an app',
    align: 'end',
    cell: ({ unseen }) => count(unseen),
  },
  {
    title: 'No answer yet',
    align: 'end',
    wide: true,
    cell: ({ seen }) => count(seen),
  },
];
