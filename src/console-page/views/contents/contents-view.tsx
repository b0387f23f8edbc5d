import type { VNode } from 'preact';
import { useLocation } from 'preact-iso/router';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import { svcCommand } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { usePathPart } from '../../data/filters.ts';
import { usePages, useResource } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { Interval } from '../../parts/bars.tsx';
import { count, percent } from '../../parts/numbers.ts';
import { PagedList } from '../../parts/pages.tsx';
import { Empty, Failure } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { cleaned, Text } from '../../parts/text.tsx';
import { Box, ViewHead } from '../../parts/view.tsx';
import { ContentPanel } from './content-panel.tsx';
import { GoalBoxes, GoalValue } from './goal-boxes.tsx';
import { LearningCurve, WhatLearningGains } from './model-boxes.tsx';

type Content = AnswerOf<'listContents'>['items'][number];

/** What each content earns with its interval, the learning curve, and holdout against learned: /contents and /contents/ID. */
export function ContentsView(): VNode {
  const { route } = useLocation();
  const id = usePathPart('/contents');
  const model = useResource('model', (signal) => call('getModel', { signal }));
  const contents = usePages('contents', (after, signal) =>
    call('listContents', { query: { after }, signal }),
  );
  const reload = () => {
    model.reload();
    contents.reload();
  };
  return (
    <>
      <ViewHead
        title="Contents"
        summary={
          model.value &&
          `model version ${model.value.version}, ${count(model.value.learned)} decisions learned`
        }
        command={svcCommand('contents', 'list')}
        refresh={reload}
      />
      {model.error && <Failure error={model.error} retry={model.reload} />}
      {model.value && (
        <div class="columns">
          <LearningCurve model={model.value} />
          <WhatLearningGains model={model.value} />
          <GoalBoxes goals={model.value.goals} />
        </div>
      )}
      <Box title="How each content performs" note="rewarded of those served, with the 95 % interval">
        <PagedList
          what="the contents"
          pages={contents}
          empty={
            <Empty title="The catalog has no contents." command={svcCommand('catalog', 'get')}>
              <p>Contents come from the catalog:</p>
            </Empty>
          }
        >
          {(items) => (
            <Table
              label="Contents"
              rows={items}
              keyOf={(content) => content.id}
              current={(content) => content.id === id}
              columns={columnsOf(items)}
            />
          )}
        </PagedList>
      </Box>
      {id !== undefined && <ContentPanel id={id} key={id} close={() => route('/contents')} />}
    </>
  );
}

function columnsOf(items: readonly Content[]): readonly Column<Content>[] {
  const max = Math.max(...items.map(({ high, served }) => (served > 0 ? (high ?? 0) : 0)), 0.01);
  return [
    {
      title: 'Content',
      cell: ({ id, status }) => (
        <>
          <a href={`/contents/${encodeURIComponent(id)}`}>
            <Text of={id} />
          </a>{' '}
          {status !== 'active' && <Badge tone="warn">{status}</Badge>}
        </>
      ),
    },
    { title: 'Category', wide: true, cell: ({ category }) => <Text of={category ?? ''} /> },
    { title: 'Format', wide: true, cell: ({ format }) => <Text of={format ?? ''} /> },
    {
      title: 'Rate',
      cell: ({ rate, low, high }) =>
        rate === null || low === null || high === null ? (
          <span class="note">not served yet</span>
        ) : (
          <Interval rate={rate} low={low} high={high} max={max} label={percent(rate)} />
        ),
    },
    ...(items[0]?.goals ?? []).map(({ goalId }, i) => {
      const most = Math.max(...items.map(({ goals }) => goals?.[i]?.high ?? 0), 0.0001);
      return {
        title: cleaned(goalId),
        wide: i > 0,
        cell: ({ goals }: Content) => {
          const earned = goals?.[i];
          return earned ? <GoalValue of={earned} max={most} /> : null;
        },
      };
    }),
    { title: 'Served', align: 'end', cell: ({ served }) => count(served) },
    { title: 'Rewarded', align: 'end', wide: true, cell: ({ rewarded }) => count(rewarded) },
    { title: 'Dismissed', align: 'end', wide: true, cell: ({ dismissed }) => count(dismissed) },
  ];
}
