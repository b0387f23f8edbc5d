import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import { flagsOf, svcCommand } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { type Filters, useFilters, usePathPart } from '../../data/filters.ts';
import { usePages } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { FilterBar, type FilterField } from '../../parts/filter-bar.tsx';
import { count, counted } from '../../parts/numbers.ts';
import { PagedList } from '../../parts/pages.tsx';
import { keptRange, RangeControl, rangeOf, rangeWords } from '../../parts/range.tsx';
import { Split } from '../../parts/split.tsx';
import { Empty } from '../../parts/states.tsx';
import { type Column, ColumnChoice, chosenColumns, Table } from '../../parts/table.tsx';
import { Terms } from '../../parts/term.tsx';
import { Cut, cleaned, Id, Text } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { ViewHead } from '../../parts/view.tsx';
import { Advice } from './advice.tsx';
import { NotificationDetail } from './notification-detail.tsx';
import {
  deliveredWords,
  failureSentence,
  type Notification,
  STATE_TONES,
  stateTone,
  stateWords,
  TERMS,
  whyWords,
} from './notification-words.ts';

type Head = Pick<AnswerOf<'listNotifications'>, 'counts' | 'failures'>;

/** So many of a state are counted; there may be more. */
const COUNTED = 5_000;

const atLeast = (n: number) => `${count(n)}${n >= COUNTED ? '+' : ''}`;

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

const sumOf = (counts: NonNullable<Head['counts']>) => Object.values(counts).reduce((sum, n) => sum + n, 0);

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
  const pages = usePages(key, async (after, signal) => {
    const answer = await call('listNotifications', { query: { ...query, after }, signal });
    if (after === undefined) setHead(answer);
    return { items: answer.notifications, next: answer.next };
  });
  const columns = columnsOf(filters.search);
  return (
    <Split
      back={`/notifications${filters.search}`}
      list={
        <>
          <ViewHead
            title="Notifications"
            summary={pages.readAt === undefined ? '' : summaryOf(head, filters)}
            command={svcCommand('notifications', 'list', ...flagsOf(query))}
            readAt={pages.readAt}
            refresh={pages.reload}
            actions={<ColumnChoice columns={columns} filters={filters} />}
          />
          <div class="toolbar">
            <FilterBar filters={filters} fields={fieldsOf(head)} inline />
            <RangeControl filters={filters} />
            <Terms of={TERMS} />
          </div>
          <Reasons of={head.failures ?? []} chosen={failure} filters={filters} />
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

/** Reasons that are shown at once. */
const MOST_REASONS = 4;

/** Why notifications failed, the most frequent reason first, each with what to do; it lists those that failed for it. */
function Reasons(props: {
  of: NonNullable<Head['failures']>;
  chosen: string | undefined;
  filters: Filters;
}): VNode | null {
  const { of, chosen, filters } = props;
  if (of.length === 0) return null;
  const list = (some: typeof of) => (
    <ul class="reason-chips lines" aria-label="Why they failed">
      {some.map(({ failure, count: n }) => (
        <li key={failure}>
          <button
            type="button"
            aria-pressed={failure === chosen}
            title={cleaned(failure)}
            onClick={() => filters.set({ failure: failure === chosen ? '' : failure, status: '' })}
          >
            <strong>{count(n)} failed</strong> <Cut of={failureSentence(failure)} long />
          </button>{' '}
          <Advice of={failure} />
        </li>
      ))}
    </ul>
  );
  const rest = of.slice(MOST_REASONS);
  return (
    <>
      {list(of.slice(0, MOST_REASONS))}
      {rest.length > 0 && (
        <details class="figures">
          <summary>{counted(rest.length, 'other reason')}</summary>
          {list(rest)}
        </details>
      )}
    </>
  );
}

/** What became of the notifications of the user and the times that are chosen. */
function summaryOf({ counts }: Head, { values }: Filters): string {
  if (!counts) return 'the latest notifications, newest first';
  const when = keptRange(values) === '' ? '' : ` ${rangeWords(values)}`;
  const all = sumOf(counts);
  if (all === 0) return `None was triggered${when}`;
  const { failed, delivered, held, queued, dispatched } = counts;
  const ends = deliveredWords();
  const waits = [
    delivered > 0 && `${atLeast(delivered)} ${ends}${ends === 'delivered' ? '' : ', which nobody gets'}`,
    held > 0 && `${atLeast(held)} held back until later`,
    queued > 0 && `${atLeast(queued)} about to be sent`,
    dispatched > 0 && `${atLeast(dispatched)} taken by a provider that has not said more`,
  ].filter(Boolean);
  return `${failed === 0 ? 'None' : atLeast(failed)} of ${counted(all, 'notification')}${all >= COUNTED ? ' or more' : ''} failed${when}${waits.length === 0 ? '' : `; ${waits.join(', ')}`}`;
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
