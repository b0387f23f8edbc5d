import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import { flagsOf, svcCommand } from '../../data/about.ts';
import { call, search } from '../../data/api.ts';
import { type Filters, useFilters, usePathPart } from '../../data/filters.ts';
import { useListEvery, usePages } from '../../data/resource.ts';
import { trendEveryMs } from '../../data/trends.ts';
import { Badge } from '../../parts/badge.tsx';
import { Bar } from '../../parts/bars.tsx';
import { colourOf } from '../../parts/content-colours.ts';
import { FilterBar, type FilterField } from '../../parts/filter-bar.tsx';
import { count, counted, percent, score } from '../../parts/numbers.ts';
import { PagedList, Removed } from '../../parts/pages.tsx';
import { keptRange, RangeControl, rangeOf } from '../../parts/range.tsx';
import { Split } from '../../parts/split.tsx';
import { Empty } from '../../parts/states.tsx';
import { type Column, ColumnChoice, chosenColumns, Table } from '../../parts/table.tsx';
import { Terms } from '../../parts/term.tsx';
import { Cut, cleaned, Id, Text } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { UserLink, userPath } from '../../parts/user-link.tsx';
import { ViewHead } from '../../parts/view.tsx';
import { DecisionDetail } from './decision-detail.tsx';
import {
  chosenOf,
  contextLine,
  type Decision,
  KIND_WORDS,
  kindOf,
  rewardWords,
  TERMS,
} from './decision-words.ts';

const FIELDS: readonly FilterField[] = [
  { name: 'hashId', label: 'User', kind: 'user' },
  { name: 'contentId', label: 'Content', kind: 'text', placeholder: 'any' },
  {
    name: 'kind',
    label: 'How it was chosen',
    kind: 'choice',
    options: [
      ['', 'Any'],
      ['tried', 'Tried to learn'],
      ['even', 'Holdout'],
      ['none', 'No action'],
    ],
  },
];

/** The service does not select by how a decision was chosen: so many pages are read for it at once, or until these are found. */
const MOST_PAGES = 4;
const ENOUGH = 25;

/** The decision log, newest first, and one decision beside it: /decisions and /decisions/ID. */
export function DecisionsView(): VNode {
  const filters = useFilters();
  const id = usePathPart('/decisions');
  const { hashId, contentId, kind, from } = filters.values;
  const ofUser = from === 'user' && hashId !== undefined;
  const range = rangeOf(filters);
  const query = { hashId, contentId, ...range };
  const isShown = (decision: Decision) => !kind || kindOf(decision) === kind;
  const [removedBefore, setRemovedBefore] = useState<string | undefined>();
  // Its times move on, and the list stays.
  const key = JSON.stringify([hashId, contentId, keptRange(filters.values), kind]);
  const pages = usePages(key, async (after, signal) => {
    const items: Decision[] = [];
    let next: string | null | undefined = after;
    for (let turn = 0; turn === 0 || (kind && next && turn < MOST_PAGES); turn++) {
      const answer: AnswerOf<'listDecisions'> = await call('listDecisions', {
        query: { ...query, order: 'newest', limit: kind ? '500' : '100', after: next ?? undefined },
        signal,
      });
      items.push(...answer.decisions);
      next = answer.next;
      setRemovedBefore(answer.removedBefore);
      if (items.filter(isShown).length >= ENOUGH) break;
    }
    return { items, next };
  });
  const shown = pages.items.filter(isShown);
  const columns = columnsOf(filters.search);
  useListEvery(trendEveryMs(), pages);
  return (
    <Split
      back={ofUser ? userPath(hashId) : `/decisions${filters.search}`}
      {...(ofUser && { to: 'the user' })}
      list={
        <>
          <ViewHead
            title="Decisions"
            summary={
              pages.items.length > 0 && (
                <Summary shown={shown} all={pages.items.length} kind={kind} filters={filters} />
              )
            }
            command={svcCommand('decisions', 'list', ...flagsOf({ hashId, content: contentId, ...range }))}
            readAt={pages.readAt}
            every={trendEveryMs()}
            refresh={pages.reload}
            actions={<ColumnChoice columns={columns} filters={filters} />}
          />
          <div class="toolbar">
            <FilterBar filters={filters} fields={FIELDS} inline />
            <RangeControl filters={filters} />
            <Terms of={TERMS} />
          </div>
          <PagedList
            what="the decisions"
            pages={{ ...pages, items: shown }}
            empty={
              <Empty
                title={
                  pages.items.length > 0
                    ? `None of the latest ${counted(pages.items.length, 'decision')} is of this kind.`
                    : hashId || contentId || range.since || range.until
                      ? 'No decisions match.'
                      : 'No decisions yet.'
                }
                {...(pages.items.length === 0 && {
                  command: svcCommand('decide', '--hash-id', hashId || 'HASH_ID'),
                })}
              >
                {pages.items.length === 0 && (
                  <p>A decision is made when an app asks for one, or by a command:</p>
                )}
              </Empty>
            }
          >
            {(items) => (
              <Table
                label="Decisions"
                dense
                rows={items}
                keyOf={({ decisionId }) => decisionId}
                current={({ decisionId }) => decisionId === id}
                columns={chosenColumns(columns, filters)}
                filters={filters}
              />
            )}
          </PagedList>
          <Removed what="decisions" before={removedBefore} />
        </>
      }
      detail={id === undefined ? undefined : <DecisionDetail id={id} key={id} />}
    />
  );
}

/** Contents that are named in the summary. */
const MOST_NAMED = 2;

/** What was chosen most of those that are listed, and how; each leads to these alone. */
function Summary(props: {
  shown: readonly Decision[];
  all: number;
  kind: string | undefined;
  filters: Filters;
}): VNode {
  const { shown, all, kind, filters } = props;
  const { values } = filters;
  if (kind)
    return (
      <>
        {count(shown.length)} of the latest {counted(all, 'decision')}
      </>
    );
  const by = new Map<string, number>();
  for (const { contentId } of shown) if (contentId) by.set(contentId, (by.get(contentId) ?? 0) + 1);
  const none = shown.filter(({ contentId }) => contentId === null).length;
  const most = [...by].sort((a, b) => b[1] - a[1]);
  const others = most.slice(MOST_NAMED).reduce((sum, [, n]) => sum + n, 0);
  const kinds = LISTED.map(
    (each) => [each, shown.filter((decision) => kindOf(decision) === each).length] as const,
  ).filter(([, n]) => n > 0);
  const parts = [
    ...most.slice(0, MOST_NAMED).map(([contentId, n]) => (
      <>
        <a href={`/decisions${search({ ...values, contentId })}`} aria-label={`Only ${cleaned(contentId)}`}>
          <Cut of={contentId} />
        </a>{' '}
        {count(n)}
      </>
    )),
    ...(others > 0 ? [`others ${count(others)}`] : []),
    ...(none > 0 ? [`${KIND_WORDS.none} ${count(none)}`] : []),
  ];
  return (
    <>
      of the latest {count(all)}:{' '}
      {parts.map((part, i) => (
        <>
          {i > 0 && ' · '}
          {part}
        </>
      ))}
      {kinds.map(([each, n], i) => (
        <>
          {i > 0 ? ' · ' : '; of them '}
          <a href={`/decisions${search({ ...values, kind: each })}`}>{KIND_WORDS[each]}</a> {count(n)}
        </>
      ))}
    </>
  );
}

/** The kinds that are counted in the summary, apart from what was chosen. */
const LISTED = ['tried', 'even'] as const;

const propensityOf = (decision: Decision) => chosenOf(decision)?.propensity ?? 0;

function columnsOf(query: string): readonly Column<Decision>[] {
  return [
    {
      title: 'Content',
      sortBy: ({ contentId }) => contentId ?? '',
      cell: (decision) => <ContentCell decision={decision} query={query} />,
    },
    { title: 'Time', cell: ({ at }) => <Time at={at} />, sortBy: ({ at }) => at },
    { title: 'User', wide: true, cell: ({ hashId }) => <UserLink of={hashId} /> },
    {
      title: 'Place',
      wide: true,
      cell: ({ context }) => <Cut of={contextLine(context) || '–'} />,
      sortBy: ({ context }) => contextLine(context),
    },
    {
      title: 'Expected',
      note: 'reward of a message, 0 to 1',
      wide: true,
      align: 'end',
      cell: (decision) => <span class="figure">{scoreOf(decision)}</span>,
      sortBy: (decision) => chosenOf(decision)?.ranking ?? 0,
    },
    {
      title: 'Likelihood',
      note: 'of being chosen',
      wide: true,
      cell: (decision) => (
        <Bar value={propensityOf(decision)} max={1} label={percent(propensityOf(decision))} />
      ),
      sortBy: propensityOf,
    },
    {
      title: 'Earned',
      note: 'reward, 0 to 1',
      wide: true,
      align: 'end',
      cell: rewardWords,
      sortBy: ({ reward }) => reward ?? -1,
    },
  ];
}

function scoreOf(decision: Decision): string {
  const chosen = chosenOf(decision);
  return chosen === undefined ? '–' : score(chosen.ranking);
}

function ContentCell({ decision, query }: { decision: Decision; query: string }): VNode {
  const { decisionId, contentId, context, hashId } = decision;
  const kind = kindOf(decision);
  return (
    <>
      {contentId !== null && <span class={`swatch ${colourOf(contentId)}`} aria-hidden="true" />}
      <a href={`/decisions/${encodeURIComponent(decisionId)}${query}`}>
        {contentId === null ? 'No action' : <Cut of={contentId} />}
      </a>{' '}
      {kind !== 'likely' && kind !== 'none' && (
        <Badge tone={kind === 'tried' ? 'warn' : 'plain'}>{KIND_WORDS[kind]}</Badge>
      )}
      {contentId === null && <RemovedBy decision={decision} />}
      <span class="note narrow">
        <Cut of={contextLine(context)} /> {hashId ? <Id of={hashId} short={8} /> : 'erased'}
      </span>
    </>
  );
}

/** Why there was no action, where one rule says it all. */
function RemovedBy({ decision: { removed = [] } }: { decision: Decision }): VNode | null {
  const [most] = [...removed].sort((a, b) => b.count - a.count);
  return most === undefined ? null : (
    <span class="note">
      <Text of={most.rule.replaceAll('_', ' ')} />
    </span>
  );
}
