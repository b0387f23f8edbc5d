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
import { keptRange, rangeOf, rangeWords } from '../../parts/range.tsx';
import { Loading } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Cut } from '../../parts/text.tsx';
import { Box } from '../../parts/view.tsx';

type Trend = AnswerOf<'getDecisionTrend'>;
type Waiting = AnswerOf<'getOverview'>['messages']['waiting'][number];

/** What became of the messages of a content. */
interface Row extends Waiting {
  /** How often it was shown in the range, and how often that was rewarded; undefined if it is not among the most shown. */
  readonly total: NonNullable<Trend['contents'][number]['total']> | undefined;
}

/** How often the waiting messages are counted again, in ms. */
const EVERY_MS = 30_000;

/** What was shown and tapped in a range, and what waits now, by content. Nothing where the service says neither. */
export function ByContent(props: {
  filters: Filters;
  /** Called once it has been loaded, or could not be. */
  settled: () => void;
}): VNode | null {
  const { filters, settled } = props;
  const when = rangeWords(filters.values);
  const trend = useTrend(
    'getDecisionTrend',
    { ...rangeOf(filters), contents: '50' },
    `messages ${keptRange(filters.values)}`,
  );
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
    <Box
      title={titleOf(rows, when)}
      label="By content"
      note="shown and tapped in the range that is chosen, of the contents that were shown most; what waits is of now, up to 5,000 messages"
    >
      <div class="by-content">
        <Table
          label="By content"
          dense
          rows={rows}
          keyOf={({ contentId }) => contentId}
          columns={columnsOf(max)}
          filters={filters}
        />
      </div>
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

/** Which content was tapped most often, and how many messages wait. */
function titleOf(rows: readonly Row[], when: string): VNode {
  const [best] = rows
    .filter(({ total }) => total !== undefined)
    .sort((a, b) => b.total!.rate - a.total!.rate);
  const unseen = rows.reduce((sum, row) => sum + row.unseen, 0);
  const seen = rows.reduce((sum, row) => sum + row.seen, 0);
  const wait =
    unseen + seen === 0
      ? 'none waits'
      : `${counted(unseen, 'waits', 'wait')} for an app, ${count(seen)} for an answer`;
  return best?.total === undefined ? (
    <>
      Nothing was shown {when}; of the messages {wait}
    </>
  ) : (
    <>
      <Cut of={best.contentId} /> was tapped most {when}: {percent(best.total.rate)} of{' '}
      {counted(best.total.served, 'time', 'times')} shown; of all messages {wait}
    </>
  );
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
    sortBy: ({ contentId }) => contentId,
  },
  {
    title: 'Shown',
    align: 'end',
    wide: true,
    cell: ({ total }) => (total ? count(total.served) : '–'),
    sortBy: ({ total }) => total?.served ?? 0,
  },
  {
    title: 'Tapped',
    cell: ({ total }) =>
      total ? (
        <Interval rate={total.rate} low={total.low} high={total.high} max={max} label={percent(total.rate)} />
      ) : (
        '–'
      ),
    sortBy: ({ total }) => total?.rate ?? -1,
  },
  {
    title: 'Wait for an app',
    align: 'end',
    cell: ({ unseen }) => count(unseen),
    sortBy: ({ unseen }) => unseen,
  },
  {
    title: 'Seen, no answer',
    align: 'end',
    wide: true,
    cell: ({ seen }) => count(seen),
    sortBy: ({ seen }) => seen,
  },
];
