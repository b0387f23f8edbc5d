import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { about, apiCommand, svcCommand } from '../../data/about.ts';
import { ask } from '../../data/api.ts';
import { useFilters, usePathPart } from '../../data/filters.ts';
import { trendEveryMs } from '../../data/trends.ts';
import { useEscape } from '../../parts/focus/escape.ts';
import { Icon } from '../../parts/icons.tsx';
import { rangeOf } from '../../parts/range.tsx';
import { Failure } from '../../parts/states.tsx';
import { Term } from '../../parts/term.tsx';
import { cleaned, Id } from '../../parts/text.tsx';
import { ViewHead } from '../../parts/view.tsx';
import { LatestUsers } from './latest-users.tsx';
import { UserDetail } from './user-detail.tsx';

/** A hashId as the service makes them. */
const HASH_ID = /^[0-9a-f]{64}$/;

/** A user by hashId: /users finds one, /users/HASH shows one. */
export function UsersView(): VNode {
  const hashId = usePathPart('/users');
  const [turn, setTurn] = useState(0);
  const [readAt, setReadAt] = useState<number | undefined>();
  const key = `${turn} ${hashId}`;
  return (
    <>
      <FindUser hashId={hashId} readAt={readAt} refresh={() => setTurn(turn + 1)} />
      {hashId === undefined ? (
        <LatestUsers key={key} read={setReadAt} />
      ) : (
        <UserDetail hashId={hashId} key={key} />
      )}
    </>
  );
}

function FindUser(props: {
  hashId: string | undefined;
  /** When the list was read, Unix ms. */
  readAt: number | undefined;
  refresh: () => void;
}): VNode {
  const { hashId, readAt, refresh } = props;
  const { route } = useLocation();
  const filters = useFilters();
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
  useEscape(hashId === undefined ? undefined : () => route('/users'));
  const byUserId = about.value?.local === true;
  const label = byUserId ? 'userId or hashId of a user' : 'hashId of a user';
  return (
    <>
      <ViewHead
        title={hashId === undefined ? 'Users' : `User ${cleaned(hashId).slice(0, 12)}`}
        summary={
          hashId === undefined ? (
            <>
              Users are known here by their <Term of="hashId" /> alone.
            </>
          ) : (
            <>
              <Term of="hashId" /> <Id of={hashId} />
            </>
          )
        }
        actions={
          hashId !== undefined && (
            <>
              <a class="button" href="/users">
                <Icon name="back" /> All users
              </a>
              <a class="button" href={`/messages?hashId=${encodeURIComponent(hashId)}`}>
                <Icon name="message" /> Messages
              </a>
            </>
          )
        }
        {...(hashId === undefined && { readAt, every: trendEveryMs() })}
        refresh={refresh}
        command={
          hashId === undefined
            ? apiCommand('/v1/users', {
                ...rangeOf(filters),
                active: filters.values.who === 'stored' ? undefined : 'true',
              })
            : svcCommand('users', 'timeline', '--hash-id', hashId)
        }
      />
      {hashId === undefined && (
        <form class="find" aria-label="Find a user" onSubmit={find}>
          <label for="find-user" class="visually-hidden">
            {label}
          </label>
          <input
            id="find-user"
            name="wanted"
            type="text"
            placeholder={label}
            spellcheck={false}
            autocomplete="off"
            maxLength={500}
          />
          <button type="submit" disabled={busy}>
            <Icon name="search" /> Show
          </button>
        </form>
      )}
      {byUserId && hashId === undefined && (
        <p class="note">A userId is hashed by the service; the page does not keep it.</p>
      )}
      {failure && <Failure error={failure} />}
    </>
  );
}
