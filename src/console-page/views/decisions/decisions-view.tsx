import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { flagsOf, svcCommand } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { useFilters, usePathPart } from '../../data/filters.ts';
import { usePages } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { FilterBar, type FilterField } from '../../parts/filter-bar.tsx';
import { count, counted } from '../../parts/numbers.ts';
import { PagedList, Removed } from '../../parts/pages.tsx';
import { LinkList, Split } from '../../parts/split.tsx';
import { Empty } from '../../parts/states.tsx';
import { Text } from '../../parts/text.tsx';
import { ViewHead } from '../../parts/view.tsx';
import { DecisionDetail } from './decision-detail.tsx';
import { contextLine, type Decision, KIND_WORDS, kindOf, rewardWords } from './decision-words.ts';

const FIELDS: readonly FilterField[] = [
  { name: 'hashId', label: 'User', kind: 'text', placeholder: 'hashId' },
  { name: 'contentId', label: 'Content', kind: 'text', placeholder: 'any' },
  { name: 'since', label: 'Since', kind: 'text', placeholder: '2026-03-01T00:00:00Z' },
  {
    name: 'kind',
    label: 'How it was chosen',
    kind: 'choice',
    options: [
      ['', 'All'],
      ['explored', 'Explored'],
      ['none', 'No action'],
    ],
  },
];

/** The decision log, newest first, and one decision beside it: /decisions and /decisions/ID. */
export function DecisionsView(): VNode {
  const filters = useFilters();
  const id = usePathPart('/decisions');
  const { hashId, contentId, since, kind } = filters.values;
  const query = { hashId, contentId, since };
  const [removedBefore, setRemovedBefore] = useState<string | undefined>();
  const pages = usePages(JSON.stringify(query), async (after, signal) => {
    const { decisions, next, removedBefore } = await call('listDecisions', {
      query: { ...query, order: 'newest', limit: '100', after },
      signal,
    });
    setRemovedBefore(removedBefore);
    return { items: decisions, next };
  });
  const shown = pages.items.filter((decision) => !kind || kindOf(decision) === kind);
  return (
    <Split
      back={`/decisions${filters.search}`}
      list={
        <>
          <ViewHead
            title="Decisions"
            summary={
              pages.items.length > 0 &&
              (kind
                ? `${count(shown.length)} of the latest ${counted(pages.items.length, 'decision')}`
                : `the latest ${counted(pages.items.length, 'decision')}`)
            }
            command={svcCommand('decisions', 'list', ...flagsOf({ hashId, content: contentId, since }))}
            refresh={pages.reload}
          />
          <FilterBar filters={filters} fields={FIELDS} />
          <PagedList
            what="the decisions"
            pages={{ ...pages, items: shown.length > 0 ? shown : pages.items.slice(0, 0) }}
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
              <LinkList
                label="Decisions"
                current={id}
                items={items.map((decision) => itemOf(decision, filters.search))}
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

function itemOf(decision: Decision, search: string) {
  const kind = kindOf(decision);
  return {
    key: decision.decisionId,
    href: `/decisions/${encodeURIComponent(decision.decisionId)}${search}`,
    at: decision.at,
    title: decision.contentId === null ? 'No action' : <Text of={decision.contentId} />,
    note: <Text of={contextLine(decision.context)} />,
    badges: (
      <>
        {kind !== 'best' && kind !== 'none' && (
          <Badge tone={kind === 'explored' ? 'warn' : 'plain'}>{KIND_WORDS[kind]}</Badge>
        )}
        {decision.contentId !== null && (
          <Badge tone={decision.reward ? 'good' : 'plain'}>{rewardWords(decision)}</Badge>
        )}
      </>
    ),
  };
}
