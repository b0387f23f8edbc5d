import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import { about, svcCommand } from '../../data/about.ts';
import { ask, call } from '../../data/api.ts';
import { useFilters, usePathPart } from '../../data/filters.ts';
import { usePages } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { Icon } from '../../parts/icons.tsx';
import { count, counted } from '../../parts/numbers.ts';
import { PagedList } from '../../parts/pages.tsx';
import { keptRange, RangeControl, rangeOf, rangeWords } from '../../parts/range.tsx';
import { Empty, Failure } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Term } from '../../parts/term.tsx';
import { cleaned, Id, Text } from '../../parts/text.tsx';
import { Ago } from '../../parts/time.tsx';
import { Box, ViewHead } from '../../parts/view.tsx';
import { UserDetail } from './user-detail.tsx';
import { UsersSummary } from './users-summary.tsx';

/** A hashId as the service makes them. */
const HASH_ID = /^[0-9a-f]{64}$/;

/** A user by hashId: /users finds one, /users/HASH shows one. */
export function UsersView(): VNode {
  const hashId = usePathPart('/users');
  const [turn, setTurn] = useState(0);
  const key = `${turn} ${hashId}`;
  return (
    <>
      <FindUser hashId={hashId} refresh={() => setTurn(turn + 1)} />
      {hashId === undefined ? <LatestUsers key={key} /> : <UserDetail hashId={hashId} key={key} />}
    </>
  );
}

function FindUser({ hashId, refresh }: { hashId: string | undefined; refresh: () => void }): VNode {
  const { route } = useLocation();
  const [failure, setFailure] = useState<Error>();
  const [busy, setBusy] = useState(false);
  const find = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement).get('wanted');
    const wanted = typeof given === 'string' ? given.trim() : '';
    setFailure(undefined);
    if (wanted === '') return;
    if (HASH_ID.test(wanted)) return route(`/users/${encodeURIComponent(wanted)}`);
    if (!byUserId)
      return setFailure(
        new Error(
          'A service elsewhere finds users by their hashId alone, 64 hexadecimal digits: the one that it answered when the user was stored. The console on its own machine finds them by userId too.',
        ),
      );
    setBusy(true);
    ask<{ hashId: string }>('identify', { method: 'POST', body: { userId: wanted } })
      .then((found) => route(`/users/${encodeURIComponent(found.hashId)}`), setFailure)
      .finally(() => setBusy(false));
  };
  const byUserId = about.value?.local === true;
  const label = byUserId ? 'userId or hashId of a user' : 'hashId of a user';
  return (
    <>
      <ViewHead
        title={hashId === undefined ? 'Users' : `User ${cleaned(hashId).slice(0, 12)}`}
        summary={
          <>
            Users are known here by their <Term of="hashId" /> alone.
          </>
        }
        actions={
          hashId !== undefined && (
            <a class="button" href={`/messages?hashId=${encodeURIComponent(hashId)}`}>
              <Icon name="message" /> Pending messages
            </a>
          )
        }
        refresh={refresh}
        command={hashId === undefined ? undefined : svcCommand('users', 'timeline', '--hash-id', hashId)}
      />
      <form class="find" aria-label="Find a user" onSubmit={find}>
        <label for="find-user" class="visually-hidden">
          {label}
        </label>
        <input
          id="find-user"
          name="wanted"
          type="text"
          key={hashId}
          defaultValue={hashId}
          placeholder={label}
          spellcheck={false}
          autocomplete="off"
          maxLength={500}
        />
        <button type="submit" disabled={busy}>
          <Icon name="search" /> Show
        </button>
      </form>
      {byUserId && hashId === undefined && (
        <p class="note">A userId is hashed by the service; the page does not keep it.</p>
      )}
      {failure && <Failure error={failure} />}
    </>
  );
}

type User = AnswerOf<'listUsers'>['users'][number];
type Active = AnswerOf<'listUsers'>['active'];

/** The users who were active last: somewhere to begin. */
function LatestUsers(): VNode {
  const filters = useFilters();
  const range = rangeOf(filters);
  const when = filters.values.range || filters.values.since || filters.values.until;
  const [active, setActive] = useState<Active>();
  const pages = usePages(`users ${keptRange(filters.values)}`, async (after, signal) => {
    const answer = await call('listUsers', { query: { ...range, after }, signal });
    if (after === undefined) setActive(answer.active);
    return { items: answer.users, next: answer.next };
  });
  const users = eachOnce(pages.items);
  const { length } = users;
  const words = when ? rangeWords(filters.values) : 'lately';
  return (
    <Box
      title={
        length === 0
          ? 'Users who were active last'
          : pages.more && active
            ? `${activeWords(active)} ${words}; these ${count(length)} were active last`
            : `${counted(length, 'user was', 'users were')} active ${words}`
      }
      label="Users who were active last"
      note={
        active && length > 0
          ? `${count(active.byEvents)} sent events, ${count(active.byDecisions)} got decisions and ${count(active.byChanges)} were stored or changed${active.capped ? ', of the latest 10,000 of each' : ''}; the last active first`
          : 'as the latest events, decisions and changes of users say; the last active first'
      }
    >
      <div class="toolbar">
        <RangeControl filters={filters} />
      </div>
      <PagedList
        what="the users"
        pages={pages}
        empty={
          when ? (
            <Empty title={`No user was active ${rangeWords(filters.values)}.`} />
          ) : (
            <Empty title="No users yet." command={svcCommand('users', 'import', 'users.csv')}>
              <p>Import users; each import prints their hashIds:</p>
            </Empty>
          )
        }
      >
        {() => (
          <>
            <UsersSummary of={users} />
            <Table
              label="Users who were active last"
              dense
              rows={users}
              keyOf={({ hashId }) => hashId}
              columns={users.some(({ optOut }) => optOut) ? COLUMNS : COLUMNS.filter((one) => one !== REACH)}
              filters={filters}
            />
          </>
        )}
      </PagedList>
    </Box>
  );
}

/** How many users were active, at least. */
const activeWords = ({ byEvents, byDecisions, byChanges, capped }: Active) =>
  `${capped || byDecisions + byChanges > 0 ? 'At least ' : ''}${counted(Math.max(byEvents, byDecisions, byChanges), 'user was', 'users were')} active`;

/** The users of all pages, the last active first: a later page may name one again. */
function eachOnce(users: readonly User[]): User[] {
  const found = new Map<string, User>();
  for (const user of users) if (!found.has(user.hashId)) found.set(user.hashId, user);
  return [...found.values()].sort((a, b) => (a.lastAt < b.lastAt ? 1 : a.lastAt > b.lastAt ? -1 : 0));
}

const LAST = {
  event: 'sent an event',
  decision: 'got a decision',
  profile: 'was stored or changed',
} as const;

/** Refusals that are shown of a user. */
const MOST_REFUSALS = 2;

/** By what a user can be reached, and what the user refuses. */
const REACH: Column<User> = {
  title: 'Can be reached by',
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
            no <Text of={scope === '*' ? 'marketing' : scope} />
          </Badge>
        </>
      ))}
      {optOut.length > MOST_REFUSALS && (
        <span class="note" title={cleaned(optOut.join(', '))}>
          {` +${optOut.length - MOST_REFUSALS}`}
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
    title: 'Locale',
    wide: true,
    cell: ({ locale }) => <Text of={locale ?? '–'} />,
    sortBy: ({ locale }) => locale ?? '',
  },
  REACH,
  { title: 'Last active', cell: ({ lastAt }) => <Ago at={lastAt} />, sortBy: ({ lastAt }) => lastAt },
  { title: 'What it was', wide: true, cell: ({ last }) => LAST[last], sortBy: ({ last }) => LAST[last] },
  {
    title: 'Events',
    note: 'of 90 days, about',
    align: 'end',
    cell: ({ events }) => count(events),
    sortBy: ({ events }) => events,
  },
  {
    title: 'Decisions',
    wide: true,
    align: 'end',
    cell: ({ decisions }) => count(decisions),
    sortBy: ({ decisions }) => decisions,
  },
];
