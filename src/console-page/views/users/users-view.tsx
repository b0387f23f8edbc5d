import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import { about, svcCommand } from '../../data/about.ts';
import { ask, call } from '../../data/api.ts';
import { useFilters, usePathPart } from '../../data/filters.ts';
import { usePages } from '../../data/resource.ts';
import { Icon } from '../../parts/icons.tsx';
import { count, counted } from '../../parts/numbers.ts';
import { PagedList } from '../../parts/pages.tsx';
import { keptRange, RangeControl, rangeOf, rangeWords } from '../../parts/range.tsx';
import { Empty, Failure } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Id, Text } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { Box, ViewHead } from '../../parts/view.tsx';
import { UserDetail } from './user-detail.tsx';

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
        title="Users"
        summary="Users are known here by their hashId alone."
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

/** Most users that the service lists. */
const MOST = 100;

/** The users who were active last: somewhere to begin. */
function LatestUsers(): VNode {
  const filters = useFilters();
  const range = rangeOf(filters);
  const when = filters.values.range || filters.values.since || filters.values.until;
  const pages = usePages(`users ${keptRange(filters.values)}`, async (_, signal) => {
    const { users } = await call('listUsers', { query: { ...range }, signal });
    return { items: users };
  });
  const { length } = pages.items;
  return (
    <Box
      title={
        length === 0
          ? 'Users who were active last'
          : length >= MOST
            ? `The ${MOST} users who were active last${when ? ` ${rangeWords(filters.values)}` : ''}`
            : `${counted(length, 'user was', 'users were')} active${when ? ` ${rangeWords(filters.values)}` : ' lately'}`
      }
      label="Users who were active last"
      note="as the latest events, decisions and changes of users say; the last active first"
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
        {(items) => (
          <Table
            label="Users who were active last"
            dense
            rows={items}
            keyOf={({ hashId }) => hashId}
            columns={COLUMNS}
            filters={filters}
          />
        )}
      </PagedList>
    </Box>
  );
}

const LAST = { event: 'an event', decision: 'a decision', profile: 'stored or changed' } as const;

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
  { title: 'Last active', cell: ({ lastAt }) => <Time at={lastAt} />, sortBy: ({ lastAt }) => lastAt },
  { title: 'By', wide: true, cell: ({ last }) => LAST[last], sortBy: ({ last }) => LAST[last] },
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
