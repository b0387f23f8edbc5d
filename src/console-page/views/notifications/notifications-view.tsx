import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import { flagsOf, offers, svcCommand } from '../../data/about.ts';
import { call, search } from '../../data/api.ts';
import { type Filters, useFilters, usePathPart } from '../../data/filters.ts';
import { usePages, useResource } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { FilterBar, type FilterField } from '../../parts/filter-bar.tsx';
import { count } from '../../parts/numbers.ts';
import { PagedList } from '../../parts/pages.tsx';
import { keptRange, RangeControl, rangeOf } from '../../parts/range.tsx';
import { Split } from '../../parts/split.tsx';
import { Empty } from '../../parts/states.tsx';
import { type Column, ColumnChoice, chosenColumns, Table } from '../../parts/table.tsx';
import { Terms } from '../../parts/term.tsx';
import { Cut, cleaned, Id, Text } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { ViewHead } from '../../parts/view.tsx';
import { NotificationDetail } from './notification-detail.tsx';
import {
  failureSentence,
  type Notification,
  STATE_TONES,
  stateTone,
  stateWords,
  TERMS,
  whyWords,
} from './notification-words.ts';

const FIELDS: readonly FilterField[] = [
  { name: 'hashId', label: 'User', kind: 'text', placeholder: 'hashId' },
  {
    name: 'status',
    label: 'State',
    kind: 'choice',
    options: [['', 'All'], ...Object.keys(STATE_TONES).map((state) => [state, state] as const)],
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
  const [failures, setFailures] = useState<Failures>([]);
  const pages = usePages(key, async (after, signal) => {
    const answer = await call('listNotifications', { query: { ...query, after }, signal });
    if (after === undefined) setFailures(answer.failures ?? []);
    return { items: answer.notifications, next: answer.next };
  });
  const overview = useResource(offers('getOverview') ? 'overview' : undefined, (signal) =>
    call('getOverview', { signal }),
  );
  const columns = columnsOf(filters.search);
  return (
    <Split
      back={`/notifications${filters.search}`}
      list={
        <>
          <ViewHead
            title="Notifications"
            summary={<States overview={overview.value} filters={filters} />}
            command={svcCommand('notifications', 'list', ...flagsOf(query))}
            readAt={pages.readAt}
            refresh={pages.reload}
            actions={<ColumnChoice columns={columns} filters={filters} />}
          />
          <div class="toolbar">
            <FilterBar filters={filters} fields={FIELDS} inline />
            <RangeControl filters={filters} />
            <Terms of={TERMS} />
          </div>
          <Reasons of={failures} chosen={failure} filters={filters} />
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

type Failures = NonNullable<AnswerOf<'listNotifications'>['failures']>;

/** Why notifications failed, the most frequent reason first; each lists those that failed for it. */
function Reasons(props: { of: Failures; chosen: string | undefined; filters: Filters }): VNode | null {
  const { of, chosen, filters } = props;
  if (of.length === 0) return null;
  return (
    <ul class="reason-chips" aria-label="Why they failed">
      {of.map(({ failure, count: n }) => (
        <li key={failure}>
          <button
            type="button"
            aria-pressed={failure === chosen}
            title={cleaned(failure)}
            onClick={() => filters.set({ failure: failure === chosen ? '' : failure, status: '' })}
          >
            <strong>{count(n)} failed</strong> <Cut of={failureSentence(failure)} long />
          </button>
        </li>
      ))}
    </ul>
  );
}

/** How many notifications of the last day are in which state; each leads to these. */
function States(props: { overview: AnswerOf<'getOverview'> | undefined; filters: Filters }): VNode {
  const { overview, filters } = props;
  if (!overview) return <>the latest notifications, newest first</>;
  const sums = Object.entries(overview.notifications)
    .map(([state, hours]) => [state, hours.reduce((sum, n) => sum + n, 0)] as const)
    .filter(([, n]) => n > 0);
  return (
    <>
      in the last 24 hours: {sums.length === 0 && 'none triggered'}
      {sums.map(([state, n], i) => (
        <>
          {i > 0 && ' · '}
          <a
            href={`/notifications${search({ ...filters.values, failure: '', status: state, range: 'day' })}`}
          >
            {count(n)} {state}
          </a>
        </>
      ))}
    </>
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
