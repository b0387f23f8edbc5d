import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { flagsOf, svcCommand } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { useFilters, usePathPart } from '../../data/filters.ts';
import { usePages } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { Bar } from '../../parts/bars.tsx';
import { FilterBar, type FilterField } from '../../parts/filter-bar.tsx';
import { count, counted, percent, score } from '../../parts/numbers.ts';
import { PagedList, Removed } from '../../parts/pages.tsx';
import { keptRange, RangeControl, rangeOf } from '../../parts/range.tsx';
import { Split } from '../../parts/split.tsx';
import { Empty } from '../../parts/states.tsx';
import { type Column, ColumnChoice, chosenColumns, Table } from '../../parts/table.tsx';
import { Cut, Id, Text } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { ViewHead } from '../../parts/view.tsx';
import { DecisionDetail } from './decision-detail.tsx';
import { chosenOf, contextLine, type Decision, KIND_WORDS, kindOf, rewardWords } from './decision-words.ts';

const FIELDS: readonly FilterField[] = [
  { name: 'hashId', label: 'User', kind: 'text', placeholder: 'hashId' },
  { name: 'contentId', label: 'Content', kind: 'text', placeholder: 'any' },
  {
    name: 'kind',
    label: 'How it was chosen',
    kind: 'choice',
    options: [
      ['', 'All'],
      ['tried', 'Tried to learn'],
      ['even', 'Holdout'],
      ['none', 'No action'],
    ],
  },
];

/** The decision log, newest first, and one decision beside it: /decisions and /decisions/ID. */
export function DecisionsView(): VNode {
  const filters = useFilters();
  const id = usePathPart('/decisions');
  const { hashId, contentId, kind } = filters.values;
  const range = rangeOf(filters);
  const query = { hashId, contentId, ...range };
  const [removedBefore, setRemovedBefore] = useState<string | undefined>();
  // Its times move on, and the list stays.
  const key = JSON.stringify([hashId, contentId, keptRange(filters.values)]);
  const pages = usePages(key, async (after, signal) => {
    const { decisions, next, removedBefore } = await call('listDecisions', {
      query: { ...query, order: 'newest', limit: '100', after },
      signal,
    });
    setRemovedBefore(removedBefore);
    return { items: decisions, next };
  });
  const shown = pages.items.filter((decision) => !kind || kindOf(decision) === kind);
  const columns = columnsOf(filters.search);
  return (
    <Split
      back={`/decisions${filters.search}`}
      list={
        <>
          <ViewHead
            title="Decisions"
            summary={pages.items.length > 0 && summaryOf(shown.length, pages.items.length, kind)}
            command={svcCommand('decisions', 'list', ...flagsOf({ hashId, content: contentId, ...range }))}
            readAt={pages.readAt}
            refresh={pages.reload}
            actions={<ColumnChoice columns={columns} filters={filters} />}
          />
          <div class="toolbar">
            <FilterBar filters={filters} fields={FIELDS} inline />
            <RangeControl filters={filters} />
          </div>
          <PagedList
            what="the decisions"
            pages={{ ...pages, items: shown }}
            empty={
              <Empty
                title={
                  pages.items.length > 0
                    ? 'None of the latest decisions is of this kind.'
                    : 'No decisions match.'
                }
                command={svcCommand('decide', '--hash-id', hashId || 'HASH_ID')}
              >
                <p>A decision is made when an app asks for one, or by a command:</p>
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

const summaryOf = (shown: number, all: number, kind: string | undefined) =>
  kind
    ? `${count(shown)} of the latest ${counted(all, 'decision')}`
    : `the latest ${counted(all, 'decision')}, newest first`;

const propensityOf = (decision: Decision) => chosenOf(decision)?.propensity ?? 0;

function columnsOf(search: string): readonly Column<Decision>[] {
  return [
    {
      title: 'Content',
      sortBy: ({ contentId }) => contentId ?? '',
      cell: (decision) => <ContentCell decision={decision} search={search} />,
    },
    { title: 'Time', cell: ({ at }) => <Time at={at} />, sortBy: ({ at }) => at },
    { title: 'User', wide: true, cell: ({ hashId }) => <Id of={hashId} short={8} /> },
    {
      title: 'Place',
      wide: true,
      cell: ({ context }) => <Cut of={contextLine(context)} />,
      sortBy: ({ context }) => contextLine(context),
    },
    {
      title: 'Expected',
      wide: true,
      align: 'end',
      cell: (decision) => <span class="figure">{scoreOf(decision)}</span>,
      sortBy: (decision) => chosenOf(decision)?.ranking ?? 0,
    },
    {
      title: 'Likelihood',
      wide: true,
      cell: (decision) => (
        <Bar value={propensityOf(decision)} max={1} label={percent(propensityOf(decision))} />
      ),
      sortBy: propensityOf,
    },
    {
      title: 'Earned',
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

function ContentCell({ decision, search }: { decision: Decision; search: string }): VNode {
  const { decisionId, contentId } = decision;
  const kind = kindOf(decision);
  return (
    <>
      <a href={`/decisions/${encodeURIComponent(decisionId)}${search}`}>
        {contentId === null ? 'No action' : <Cut of={contentId} />}
      </a>{' '}
      {kind !== 'likely' && kind !== 'none' && (
        <Badge tone={kind === 'tried' ? 'warn' : 'plain'}>{KIND_WORDS[kind]}</Badge>
      )}
      {contentId === null && <RemovedBy decision={decision} />}
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
