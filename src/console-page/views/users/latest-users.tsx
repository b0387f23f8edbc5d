import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import { svcCommand } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { useFilters } from '../../data/filters.ts';
import { useListEvery, usePages } from '../../data/resource.ts';
import { trendEveryMs } from '../../data/trends.ts';
import { Badge } from '../../parts/badge.tsx';
import { outcomeWord } from '../../parts/message-life.tsx';
import { count, counted } from '../../parts/numbers.ts';
import { PagedList } from '../../parts/pages.tsx';
import { keptRange, RangeControl, rangeOf, rangeWords } from '../../parts/range.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Empty } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Cut, cleaned, Id, Text } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { Box } from '../../parts/view.tsx';
import { isChosen, refusalWords, UserChips } from './user-chips.tsx';

type User = AnswerOf<'listUsers'>['users'][number];
type Active = AnswerOf<'listUsers'>['active'];

/** The users who were active last: somewhere to begin. */
export function LatestUsers({ read }: { read: (at: number | undefined) => void }): VNode {
  const filters = useFilters();
  const { values } = filters;
  const kept = keptRange(values);
  const when = kept === '' ? 'so far' : rangeWords(values);
  const stored = values.who === 'stored';
  const [active, setActive] = useState<Active>();
  const pages = usePages(`users ${stored} ${kept}`, async (after, signal) => {
    const query = { ...rangeOf(filters), active: stored ? undefined : 'true', after };
    const answer = await call('listUsers', { query, signal });
    if (after === undefined) setActive(answer.active);
    return { items: answer.users, next: answer.next };
  });
  useListEvery(trendEveryMs(), pages);
  useEffect(() => read(pages.readAt), [pages.readAt]);
  const users = eachOnce(pages.items);
  const shown = users.filter((user) => isChosen(user, values));
  const were = users.filter(({ last }) => last !== 'profile');
  return (
    <Box
      title={
        active === undefined
          ? 'Users who were active last'
          : `${counted(active.byEvents, 'user')} sent events and ${count(active.byDecisions)} got decisions ${when}${reachWords(were)}`
      }
      label="Users who were active last"
      // Its line is there before its words.
      note={
        active ? (
          <>
            {active.capped && 'of the latest 10,000 of each; '}
            {counted(active.byChanges, 'was', 'were')} stored or changed, as by an import
          </>
        ) : (
          '\u00a0'
        )
      }
    >
      <div class="toolbar">
        <RangeControl filters={filters} />
        <Segments
          label="Which users"
          options={[
            ['', 'Active'],
            ['stored', 'Stored or changed too'],
          ]}
          chosen={stored ? 'stored' : ''}
          choose={(who) => filters.set({ who })}
        />
      </div>
      {users.length > 0 && <UserChips of={users} more={pages.more !== undefined} filters={filters} />}
      <PagedList
        what="the users"
        pages={{ ...pages, items: shown }}
        empty={
          users.length > 0 ? (
            <Empty title="None of the users who are listed matches." />
          ) : active && active.byChanges > 0 && !stored ? (
            <Empty
              title={`No user was active ${when}; ${counted(active.byChanges, 'was', 'were')} stored or changed.`}
            />
          ) : kept !== '' ? (
            <Empty title={`No user was active ${when}.`} />
          ) : (
            <Empty title="No users yet." command={svcCommand('users', 'import', 'users.csv')}>
              <p>Import users; each import prints their hashIds:</p>
            </Empty>
          )
        }
      >
        {(items) => (
          <Table
            label="Users who were active last"
            dense
            rows={items}
            keyOf={({ hashId }) => hashId}
            columns={users.some(({ optOut }) => optOut) ? COLUMNS : COLUMNS.filter((one) => one !== REACH)}
            filters={filters}
          />
        )}
      </PagedList>
    </Box>
  );
}

/** How many of the listed users no notification can reach. */
function reachWords(users: readonly User[]): string {
  const told = users.filter(({ channels }) => channels !== undefined);
  const none = told.filter(({ channels }) => channels!.length === 0).length;
  if (none === 0) return '';
  return `; of the ${users.length === 1 ? 'one' : count(users.length)} listed, ${counted(none, 'has', 'have')} no channel that reaches them`;
}

/** The users of all pages, the last active first: a later page may name one again. */
function eachOnce(users: readonly User[]): User[] {
  const found = new Map<string, User>();
  for (const user of users) if (!found.has(user.hashId)) found.set(user.hashId, user);
  return [...found.values()].sort((a, b) => (a.lastAt < b.lastAt ? 1 : a.lastAt > b.lastAt ? -1 : 0));
}

/** What was last of a user: `acted on card_offer`. */
function lastWords({ last, event, contentId, outcome }: User): string {
  if (outcome) return `${outcomeWord(outcome)} ${contentId ?? 'a message'}`;
  if (last === 'event') return event ?? 'sent an event';
  if (last === 'decision') return `got ${contentId ?? 'no action'}`;
  return 'stored or changed';
}

/** Refusals that are shown of a user. */
const MOST_REFUSALS = 2;

/** By what a user can be reached, and what the user refuses. */
const REACH: Column<User> = {
  title: 'Can be reached by',
  note: 'and what marketing is refused',
  wide: true,
  sortBy: ({ channels = [] }) => channels.length,
  cell: ({ channels, optOut = [] }) => (
    <>
      {!channels && <span class="note">not stored</span>}
      {channels?.length === 0 && <span class="note">nothing</span>}
      {channels?.join(' · ')}
      {optOut.slice(0, MOST_REFUSALS).map((scope) => (
        <>
          {' '}
          <Badge tone="warn">
            no <Text of={scope === '*' ? 'marketing' : refusalWords(scope)} />
          </Badge>
        </>
      ))}
      {optOut.length > MOST_REFUSALS && (
        <span class="note" title={cleaned(optOut.map(refusalWords).join(', '))}>
          {` and ${optOut.length - MOST_REFUSALS} more`}
        </span>
      )}
    </>
  ),
};

const COLUMNS: readonly Column<User>[] = [
  {
    title: 'User',
    cell: ({ hashId }) => (
      <a href={`/users/${encodeURIComponent(hashId)}`}>
        <Id of={hashId} short />
      </a>
    ),
  },
  {
    title: 'Last activity',
    cell: (user) => <Cut of={lastWords(user)} />,
    sortBy: lastWords,
  },
  { title: 'When', align: 'end', cell: ({ lastAt }) => <Time at={lastAt} />, sortBy: ({ lastAt }) => lastAt },
  REACH,
  {
    title: 'Locale',
    wide: true,
    cell: ({ locale }) => <Text of={locale ?? '–'} />,
    sortBy: ({ locale }) => locale ?? '',
  },
  {
    title: 'Events',
    note: 'in 90 days, about',
    wide: true,
    align: 'end',
    cell: ({ events }) => count(events),
    sortBy: ({ events }) => events,
  },
  {
    title: 'Decisions',
    note: 'so far',
    wide: true,
    align: 'end',
    cell: ({ decisions }) => count(decisions),
    sortBy: ({ decisions }) => decisions,
  },
];
