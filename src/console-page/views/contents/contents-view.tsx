import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import { svcCommand } from '../../data/about.ts';
import { call, search as toQuery } from '../../data/api.ts';
import { useFilters, usePathPart } from '../../data/filters.ts';
import { useListEvery, usePages, useResource } from '../../data/resource.ts';
import { type DecisionTrend, trendEveryMs, useTrend } from '../../data/trends.ts';
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
import { HELD_OUT, type Meanings, Terms } from '../../parts/term.tsx';
import { Cut, cleaned } from '../../parts/text.tsx';
import { Box, ViewHead } from '../../parts/view.tsx';
import { ContentPanel } from './content-panel.tsx';
import { GoalBoxes, GoalValue } from './goal-boxes.tsx';
import { LearningCurve, WhatLearningGains } from './model-boxes.tsx';
import { Since } from './since.tsx';
import { GainOverTime, GoalGainsOverTime, GoalsOverTime, RatesOverTime } from './trend-boxes.tsx';

/** True if a content has a text in its name, category or title, in letters of any size. */
const matches = ({ id, category, title }: Content, text: string): boolean =>
  [id, category, title].some((each) => each?.toLowerCase().includes(text.toLowerCase()));

/** Contents whose figures are read over the range, and of which charts are drawn: those that were served most. */
const COMPARED = 50;
const CHARTED = 5;

const TERMS: Meanings = [
  [
    'Acted on',
    'The user followed the message, as the app reported (clicked or actioned in the API, which calls it rewarded). The rate is their share of all served. One dismissed later counts as both.',
  ],
  ['95 % interval', 'Where the true rate is with 95 %: long while few messages were served.'],
  ['Held out', HELD_OUT],
  [
    'Certain',
    'The interval of the difference does not reach 0. That of a goal, and of a gain over time, holds however often you look; other intervals hold for one look.',
  ],
  [
    'Outcomes learned',
    'Every message counts as ignored once it is served: its first outcome. Each response that changes its reward is one more.',
  ],
  ['Percentage points', 'A difference of shares: from 17 % to 46 % are 29 percentage points.'],
  ['Goal', 'An event that decisions should lead to, such as an order, counted for the messages before it.'],
];

type Content = AnswerOf<'listContents'>['items'][number];

/**
 * What each content earned in a range, and over its time; in a part of its own, what was learned in all: /contents and
 * /contents/ID.
 */
export function ContentsView(): VNode {
  const { route } = useLocation();
  const filters = useFilters();
  const { search = '' } = filters.values;
  const id = usePathPart('/contents');
  const model = useResource('model', (signal) => call('getModel', { signal }), trendEveryMs());
  const contents = usePages('contents', (after, signal) =>
    call('listContents', { query: { after }, signal }),
  );
  useListEvery(trendEveryMs(), contents);
  const trend = useTrend(
    'getDecisionTrend',
    { ...chartRangeOf(filters), contents: String(COMPARED) },
    `trend ${keptRange(filters.values)}`,
  );
  const when = rangeWords(filters.values, trend.value);
  const earned = new Map(trend.value?.contents.map((content) => [content.contentId, content]));
  const charted = trend.value && { ...trend.value, contents: trend.value.contents.slice(0, CHARTED) };
  // All of it comes at once, so that nothing jumps; a part that is read again changes where it stands.
  const isThere = useRef(false);
  isThere.current ||= !model.loading && !contents.loading && !trend.loading;
  const field: FilterField = {
    name: 'search',
    label: 'Search',
    kind: 'text',
    placeholder: 'name, category or title',
    only: (text) => {
      const [first, second] = contents.items.filter((content) => matches(content, text));
      return text !== '' && first && !second
        ? `/contents/${encodeURIComponent(first.id)}${toQuery({ ...filters.values, search: text })}`
        : undefined;
    },
  };
  // What earns most comes first.
  const found = contents.items
    .filter((content) => matches(content, search))
    .sort((a, b) => rateOf(earned.get(b.id)) - rateOf(earned.get(a.id)));
  const reload = () => {
    model.reload();
    contents.reload();
    trend.reload();
  };
  return (
    <>
      <ViewHead
        title="Contents"
        summary={trend.value ? summaryOf(trend.value, when) : ''}
        command={svcCommand('contents', 'list')}
        readAt={trend.readAt}
        every={trendEveryMs()}
        refresh={reload}
      />
      {!isThere.current ? (
        <Loading what="the contents" />
      ) : (
        <>
          <div class="toolbar">
            <FilterBar filters={filters} fields={[field]} inline />
            <RangeControl filters={filters} all={false} />
            <Terms of={TERMS} />
          </div>
          {trend.error && <Failure error={trend.error} retry={trend.reload} />}
          <Box
            title={<BestOf items={contents.items} trend={trend.value} when={when} />}
            label="What each content earns"
            note={`messages served ${when} that were acted on; the line is the 95 % interval`}
          >
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
                  columns={columnsOf(filters.search, earned, trend.value)}
                  filters={filters}
                />
              )}
            </PagedList>
          </Box>
          {charted && (
            <>
              <div class="columns pairs">
                <GainOverTime of={charted} when={when} />
                <GoalGainsOverTime of={charted} when={when} />
              </div>
              <RatesOverTime of={charted} when={when} />
              <GoalsOverTime of={charted} when={when} />
            </>
          )}
          {model.error && <Failure error={model.error} retry={model.reload} />}
          {model.value && (
            <section class="in-all" aria-label="In all">
              <h2>
                In all
                <Since series={model.value.series} />
              </h2>
              <p class="note">
                {counted(model.value.learned, 'outcome')} of {counted(model.value.all.served, 'message')}{' '}
                learned so far, whatever range is chosen above
              </p>
              <div class="columns pairs">
                <WhatLearningGains model={model.value} />
                <GoalBoxes goals={model.value.goals} />
                <LearningCurve model={model.value} />
              </div>
            </section>
          )}
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

type Earned = DecisionTrend['contents'][number];

/** The rate of a content in the range; below any rate where it was not served. */
const rateOf = (of: Earned | undefined) => of?.total?.rate ?? -1;

/** What became of all that was served in the range. */
const summaryOf = ({ total }: DecisionTrend, when: string): string =>
  total
    ? `${percent(total.rate)} of the ${counted(total.served, 'message')} served ${when} ${total.served === 1 ? 'was' : 'were'} acted on`
    : `Nothing was served ${when}`;

/** Which of the contents in choice has the highest rate in the range, and whether that is certain. */
function BestOf(props: { items: readonly Content[]; trend: DecisionTrend | undefined; when: string }): VNode {
  const { items, trend, when } = props;
  const isOut = (contentId: string) =>
    items.some(({ id, status }) => id === contentId && status !== 'active');
  const contents = (trend?.contents ?? [])
    .filter(({ contentId }) => !isOut(contentId))
    .map(({ contentId, total }) => ({
      contentId,
      total: total && { ...total, value: total.rate },
      points: [],
    }));
  return (
    <BestContent
      contents={contents}
      when={when}
      format={percent}
      ahead={(rate) => `has the highest rate ${when}, and that is certain: ${rate}`}
      nothing={`No message of a content in choice was acted on ${when}`}
      unknown={`Which content has the highest rate ${when} is not known`}
    />
  );
}

function columnsOf(
  search: string,
  earned: ReadonlyMap<string, Earned>,
  trend: DecisionTrend | undefined,
): readonly Column<Content>[] {
  const of = ({ id }: Content) => earned.get(id)?.total;
  const totals = [...earned.values()].flatMap(({ total }) => total ?? []);
  const max = Math.max(...totals.map(({ high }) => high), 0.01);
  const all = Math.max(1, trend?.total?.served ?? 0);
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
      sortBy: ({ id }) => rateOf(earned.get(id)),
      cell: (content) => {
        const total = of(content);
        return total ? (
          <Interval {...total} max={max} label={percent(total.rate)} />
        ) : (
          <span class="note">
            {earned.size < COMPARED ? 'not served' : `not among the ${COMPARED} served most`}
          </span>
        );
      },
    },
    ...(trend?.goals ?? []).map(({ goalId }, i) => {
      const most = Math.max(...[...earned.values()].map(({ goals }) => goals?.[i]?.total?.high ?? 0), 0.0001);
      return {
        title: cleaned(goalId),
        note: 'goal, per message served',
        wide: true,
        cell: ({ id }: Content) => {
          const total = earned.get(id)?.goals?.[i]?.total;
          return total && <GoalValue of={total} max={most} />;
        },
      };
    }),
    {
      title: 'Served',
      note: 'messages',
      align: 'end',
      cell: (content) => {
        const { served = 0 } = of(content) ?? {};
        return (
          <>
            {count(served)} <span class="note wide">{percent(served / all)} of all</span>
          </>
        );
      },
      sortBy: (content) => of(content)?.served ?? 0,
    },
    {
      title: 'Acted on',
      note: 'messages',
      align: 'end',
      wide: true,
      cell: (content) => count(of(content)?.rewarded ?? 0),
      sortBy: (content) => of(content)?.rewarded ?? 0,
    },
    {
      title: 'Dismissed',
      note: totals.some(({ served, rewarded, dismissed = 0 }) => rewarded + dismissed > served)
        ? 'also after acted on'
        : 'messages',
      align: 'end',
      wide: true,
      cell: (content) => count(of(content)?.dismissed ?? 0),
      sortBy: (content) => of(content)?.dismissed ?? 0,
    },
  ];
}
