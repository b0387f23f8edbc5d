import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import { svcCommand } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { useFilters, usePathPart } from '../../data/filters.ts';
import { usePages, useResource } from '../../data/resource.ts';
import { type DecisionTrend, useTrend } from '../../data/trends.ts';
import { Badge } from '../../parts/badge.tsx';
import { Interval } from '../../parts/bars.tsx';
import { BestContent } from '../../parts/charts/band-multiples.tsx';
import { colourOf } from '../../parts/content-colours.ts';
import { FilterBar, type FilterField } from '../../parts/filter-bar.tsx';
import { count, counted, percent } from '../../parts/numbers.ts';
import { PagedList } from '../../parts/pages.tsx';
import { chartRangeOf, keptRange, RangeControl, rangeWords } from '../../parts/range.tsx';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { type Meanings, Terms } from '../../parts/term.tsx';
import { Cut, cleaned } from '../../parts/text.tsx';
import { Box, ViewHead } from '../../parts/view.tsx';
import { ContentPanel } from './content-panel.tsx';
import { GoalBoxes, GoalValue } from './goal-boxes.tsx';
import { LearningCurve, WhatLearningGains } from './model-boxes.tsx';
import { GainOverTime, GoalGainsOverTime, GoalsOverTime, RatesOverTime } from './trend-boxes.tsx';

const SEARCH: readonly FilterField[] = [
  { name: 'search', label: 'Search', kind: 'text', placeholder: 'name, category or title' },
];

/** True if a content has a text in its name, category or title, in letters of any size. */
const matches = ({ id, category, title }: Content, text: string): boolean =>
  [id, category, title].some((each) => each?.toLowerCase().includes(text.toLowerCase()));

/** Contents whose rates are read over the range, and of which charts are drawn: those that were served most. */
const COMPARED = 50;
const CHARTED = 5;

const TERMS: Meanings = [
  [
    'Acted on',
    'The user followed the message, as the app reported (clicked or actioned in the API, which calls it rewarded). The rate is their share of all that were served. One that was dismissed later counts as both.',
  ],
  ['95 % interval', 'Where the true rate is with 95 %: long while few messages were served.'],
  [
    'Held out',
    'A share of the users for whom each eligible content is equally likely: an even choice. What the others earn more is what learning adds.',
  ],
  ['Certain', 'The interval does not reach the other side: it is no accident, however often you look.'],
  ['Percentage points', 'A difference of shares: from 17 % to 46 % are 29 percentage points.'],
  ['Goal', 'An event that decisions should lead to, such as an order, counted for the messages before it.'],
];

type Content = AnswerOf<'listContents'>['items'][number];

/** What each content earns with its interval, the learning curve, and holdout against learned: /contents and /contents/ID. */
export function ContentsView(): VNode {
  const { route } = useLocation();
  const filters = useFilters();
  const { search = '' } = filters.values;
  const id = usePathPart('/contents');
  const model = useResource('model', (signal) => call('getModel', { signal }));
  const contents = usePages('contents', (after, signal) =>
    call('listContents', { query: { after }, signal }),
  );
  const trend = useTrend(
    'getDecisionTrend',
    { ...chartRangeOf(filters), contents: String(COMPARED) },
    `trend ${keptRange(filters.values)}`,
  );
  const when = rangeWords(filters.values, trend.value);
  const lately = new Map(trend.value?.contents.map(({ contentId, total }) => [contentId, total]));
  const charted = trend.value && { ...trend.value, contents: trend.value.contents.slice(0, CHARTED) };
  // All of it comes at once, so that nothing jumps; a part that is read again changes where it stands.
  const isThere = useRef(false);
  isThere.current ||= !model.loading && !contents.loading && !trend.loading;
  const [more, setMore] = useState(false);
  // What earns most comes first.
  const found = contents.items
    .filter((content) => matches(content, search))
    .sort((a, b) => (b.rate ?? -1) - (a.rate ?? -1));
  const reload = () => {
    model.reload();
    contents.reload();
    trend.reload();
  };
  return (
    <>
      <ViewHead
        title="Contents"
        summary={model.value ? `${counted(model.value.learned, 'outcome')} learned so far` : ''}
        command={svcCommand('contents', 'list')}
        readAt={contents.readAt}
        refresh={reload}
      />
      {!isThere.current ? (
        <Loading what="the contents" />
      ) : (
        <>
          <Box
            title={<BestOf items={contents.items} />}
            label="What each content earns"
            note="messages that were acted on, of all that were ever served; the line is the 95 % interval"
          >
            <div class="toolbar">
              <FilterBar filters={filters} fields={SEARCH} inline />
              <Terms of={TERMS} />
            </div>
            <PagedList
              what="the contents"
              pages={{ ...contents, items: found }}
              empty={
                contents.items.length > 0 ? (
                  <Empty title="No content has this in its name, category or title." />
                ) : (
                  <Empty title="The catalog has no contents." command={svcCommand('catalog', 'get')}>
                    <p>Contents come from the catalog:</p>
                  </Empty>
                )
              }
            >
              {(items) => (
                <Table
                  label="Contents"
                  dense
                  rows={items}
                  keyOf={(content) => content.id}
                  current={(content) => content.id === id}
                  columns={columnsOf(items, filters.search, { of: lately, when })}
                  filters={filters}
                />
              )}
            </PagedList>
          </Box>
          {model.error && <Failure error={model.error} retry={model.reload} />}
          {model.value && (
            <div class="columns pairs">
              <WhatLearningGains model={model.value} />
              <GoalBoxes goals={model.value.goals} />
            </div>
          )}
          <div class="toolbar over-time">
            <h2>Over time, {when}</h2>
            <RangeControl filters={filters} all={false} />
            <span class="note">for the charts below and the column Lately</span>
          </div>
          {trend.error && <Failure error={trend.error} retry={trend.reload} />}
          {charted && (
            <>
              <RatesOverTime of={charted} when={when} />
              <GoalsOverTime of={charted} when={when} most={1} />
            </>
          )}
          <details class="figures" open={more} onToggle={(event) => setMore(event.currentTarget.open)}>
            <summary>More charts: what learning gained over time, and other goals</summary>
            {more && (
              <>
                <div class="columns pairs further">
                  {charted && <GainOverTime of={charted} when={when} />}
                  {charted && <GoalGainsOverTime of={charted} when={when} />}
                  {model.value && <LearningCurve model={model.value} />}
                </div>
                {charted && <GoalsOverTime of={charted} when={when} first={1} />}
              </>
            )}
          </details>
        </>
      )}
      {id !== undefined && (
        <ContentPanel
          id={id}
          key={id}
          close={() => route(`/contents${filters.search}`)}
          trend={trend.value}
          when={when}
          changed={contents.reload}
        />
      )}
    </>
  );
}

/** Which of the contents in choice earns most in all, and whether that is certain. */
function BestOf({ items }: { items: readonly Content[] }): VNode {
  // What is out of choice earned at another time.
  const inChoice = items.filter(({ status }) => status === 'active');
  const contents = inChoice.map(({ id, served, rate, low, high }) => ({
    contentId: id,
    total:
      rate === null || low === null || high === null ? null : { from: '', served, value: rate, low, high },
    points: [],
  }));
  return (
    <BestContent
      contents={contents}
      when="so far"
      format={percent}
      ahead={(rate) => `earns most, and that is certain: ${rate} of its messages were acted on`}
      nothing="No content in choice has earned anything yet"
      unknown="Which content earns most is not known yet"
    />
  );
}

/** The rates of contents over a range. */
interface Lately {
  readonly of: ReadonlyMap<string, DecisionTrend['contents'][number]['total']>;
  /** The range in words. */
  readonly when: string;
}

function columnsOf(items: readonly Content[], search: string, lately: Lately): readonly Column<Content>[] {
  const all = items.reduce((sum, { served }) => sum + served, 0);
  const max = Math.max(...items.map(({ high, served }) => (served > 0 ? (high ?? 0) : 0)), 0.01);
  return [
    {
      title: 'Content',
      sortBy: ({ id }) => id,
      cell: ({ id, status, guardedBy }) => (
        <>
          <span class={`swatch ${colourOf(id)}`} aria-hidden="true" />
          <a href={`/contents/${encodeURIComponent(id)}${search}`}>
            <Cut of={id} />
          </a>{' '}
          {status !== 'active' && (
            <Badge tone="warn">
              {guardedBy ? `${status} (${guardedBy.map((goal) => cleaned(goal)).join(', ')})` : status}
            </Badge>
          )}
        </>
      ),
    },
    {
      title: 'Category',
      wide: true,
      cell: ({ category }) => <Cut of={category ?? ''} />,
      sortBy: ({ category }) => category ?? '',
    },
    {
      title: 'Rate',
      note: 'acted on, of those served',
      sortBy: ({ rate }) => rate ?? -1,
      cell: ({ rate, low, high }) =>
        rate === null || low === null || high === null ? (
          <span class="note">not served yet</span>
        ) : (
          <Interval rate={rate} low={low} high={high} max={max} label={percent(rate)} />
        ),
    },
    {
      title: 'Lately',
      note: lately.when,
      wide: true,
      sortBy: ({ id }) => lately.of.get(id)?.rate ?? -1,
      cell: ({ id }) => {
        const total = lately.of.get(id);
        return total ? (
          <>
            {percent(total.rate)} <span class="note">of {count(total.served)}</span>
          </>
        ) : (
          <span class="note">not served</span>
        );
      },
    },
    ...(items[0]?.goals ?? []).map(({ goalId }, i) => {
      const most = Math.max(...items.map(({ goals }) => goals?.[i]?.high ?? 0), 0.0001);
      return {
        title: cleaned(goalId),
        note: 'goal, per message served',
        wide: true,
        cell: ({ goals }: Content) => {
          const earned = goals?.[i];
          return earned ? <GoalValue of={earned} max={most} /> : null;
        },
      };
    }),
    {
      title: 'Served',
      note: 'messages',
      align: 'end',
      cell: ({ served }) => (
        <>
          {count(served)} <span class="note wide">{percent(served / Math.max(1, all))} of all</span>
        </>
      ),
      sortBy: ({ served }) => served,
    },
    {
      title: 'Acted on',
      note: 'messages',
      align: 'end',
      wide: true,
      cell: ({ rewarded }) => count(rewarded),
      sortBy: ({ rewarded }) => rewarded,
    },
    {
      title: 'Dismissed',
      note: items.some(({ served, rewarded, dismissed }) => rewarded + dismissed > served)
        ? 'also after acted on'
        : 'messages',
      align: 'end',
      wide: true,
      cell: ({ dismissed }) => count(dismissed),
      sortBy: ({ dismissed }) => dismissed,
    },
  ];
}
