import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { flagsOf, svcCommand } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { useFilters, usePathPart } from '../../data/filters.ts';
import { useRefused } from '../../data/refused.ts';
import { useListEvery, usePages } from '../../data/resource.ts';
import { trendEveryMs } from '../../data/trends.ts';
import { Badge } from '../../parts/badge.tsx';
import { FilterBar, type FilterField } from '../../parts/filter-bar.tsx';
import { PagedList } from '../../parts/pages.tsx';
import { keptRange, RangeControl, rangeOf } from '../../parts/range.tsx';
import { Split } from '../../parts/split.tsx';
import { Empty } from '../../parts/states.tsx';
import { type Column, ColumnChoice, chosenColumns, Table } from '../../parts/table.tsx';
import { Terms } from '../../parts/term.tsx';
import { Cut, Id, Text } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { ViewHead } from '../../parts/view.tsx';
import { atLeast, Became, type Head, sumOf } from './became.tsx';
import { NotificationDetail } from './notification-detail.tsx';
import {
  deliveredWords,
  type Notification,
  STATE_TONES,
  stateTone,
  stateWords,
  TERMS,
  whyWords,
} from './notification-words.ts';
import { RefusedBox } from './refused.tsx';

/** The states, each with how many are in it. */
const fieldsOf = ({ counts }: Head): readonly FilterField[] => [
  { name: 'hashId', label: 'User', kind: 'user' },
  {
    name: 'status',
    label: 'State',
    kind: 'choice',
    options: [
      ['', 'All', counts ? atLeast(sumOf(counts)) : ''],
      ...(Object.keys(STATE_TONES) as Notification['status'][]).map(
        (state) =>
          [
            state,
            state === 'delivered' ? deliveredWords() : state,
            counts ? atLeast(counts[state]) : '',
          ] as const,
      ),
    ],
  },
];

/** Notifications, newest first, and the delivery record of one: /notifications and /notifications/ID. */
export function NotificationsView(): VNode {
  const filters = useFilters();
  const id = usePathPart('/notifications');
  const { hashId, status } = filters.values;
  // A reason is of those that failed alone.
  const failure = !status || status === 'failed' ? filters.values.failure : undefined;
  const query = { hashId, status, failure, ...rangeOf(filters) };
  const key = JSON.stringify([hashId, status, failure, keptRange(filters.values)]);
  const [head, setHead] = useState<Head>({});
  const heldNow = async (signal: AbortSignal) => {
    const of = { hashId, ...rangeOf(filters), status: 'held' };
    return (await call('listNotifications', { query: of, signal })).notifications;
  };
  const pages = usePages(key, async (after, signal) => {
    const answer = await call('listNotifications', { query: { ...query, after }, signal });
    if (after === undefined) setHead({ ...answer, held: answer.counts?.held ? await heldNow(signal) : [] });
    return { items: answer.notifications, next: answer.next };
  });
  useListEvery(trendEveryMs(), pages);
  const columns = columnsOf(filters.search);
  const refused = useRefused('trigger');
  return (
    <Split
      back={`/notifications${filters.search}`}
      list={
        <>
          <ViewHead
            title="Notifications"
            command={svcCommand('notifications', 'list', ...flagsOf(query))}
            readAt={pages.readAt}
            every={trendEveryMs()}
            refresh={pages.reload}
            actions={<ColumnChoice columns={columns} filters={filters} />}
          />
          <div class="toolbar">
            <FilterBar filters={filters} fields={fieldsOf(head)} inline />
            <RangeControl filters={filters} />
            <Terms of={TERMS} />
          </div>
          <Became of={head} filters={filters} />
          {refused && !status && id === undefined && <RefusedBox of={refused} what="trigger" />}
          <PagedList
            what="the notifications"
            pages={pages}
            empty={
              <Empty
                title={
                  Object.values(query).some(Boolean) ? 'No notifications match.' : 'No notifications yet.'
                }
                command={svcCommand(
                  'notifications',
                  'trigger',
                  ...flagsOf({ hashId: hashId || 'HASH_ID', template: 'welcome', channel: 'email' }),
                )}
              >
                <p>A system of yours triggers one, or a command:</p>
              </Empty>
            }
          >
            {(items) => (
              <Table
                label="Notifications"
                dense
                rows={items}
                keyOf={({ notificationId }) => notificationId}
                current={({ notificationId }) => notificationId === id}
                columns={chosenColumns(columns, filters)}
                filters={filters}
              />
            )}
          </PagedList>
        </>
      }
      detail={id === undefined ? undefined : <NotificationDetail id={id} key={id} />}
    />
  );
}

const columnsOf = (query: string): readonly Column<Notification>[] => [
  {
    title: 'Template',
    sortBy: ({ templateId }) => templateId,
    cell: ({ notificationId, templateId }) => (
      <a href={`/notifications/${encodeURIComponent(notificationId)}${query}`}>
        <Cut of={templateId} />
      </a>
    ),
  },
  {
    title: 'State',
    sortBy: ({ status }) => status,
    cell: (item) => <Badge tone={stateTone(item)}>{stateWords(item)}</Badge>,
  },
  {
    title: 'Why',
    wide: true,
    cell: (item) => {
      const words = whyWords(item);
      return (
        <>
          {words !== undefined && <Cut of={words} long />}
          {item.status === 'held' && item.heldUntil !== undefined && (
            <>
              {' '}
              Until <Time at={item.heldUntil} />
            </>
          )}
        </>
      );
    },
  },
  {
    title: 'Channel',
    wide: true,
    cell: ({ channel }) => <Text of={channel} />,
    sortBy: ({ channel }) => channel,
  },
  {
    title: 'Purpose',
    wide: true,
    cell: ({ priority }) => <Text of={priority} />,
    sortBy: ({ priority }) => priority,
  },
  {
    title: 'User',
    wide: true,
    cell: ({ hashId }) => (
      <a href={`/users/${encodeURIComponent(hashId)}`}>
        <Id of={hashId} short={8} />
      </a>
    ),
  },
  {
    title: 'Triggered',
    align: 'end',
    cell: ({ history }) => <Time at={history[0]?.at ?? ''} />,
    sortBy: ({ history }) => history[0]?.at ?? '',
  },
];
