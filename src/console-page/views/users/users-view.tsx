import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { apiCommand, svcCommand } from '../../data/about.ts';
import { useFilters, usePathPart } from '../../data/filters.ts';
import { findsByUserId, findUser, foundBy, namesOfUser } from '../../data/find-user.ts';
import { trendEveryMs } from '../../data/trends.ts';
import { useEscape } from '../../parts/focus/escape.ts';
import { Icon } from '../../parts/icons.tsx';
import { rangeOf } from '../../parts/range.tsx';
import { Failure } from '../../parts/states.tsx';
import { Term } from '../../parts/term.tsx';
import { cleaned, Id, Text } from '../../parts/text.tsx';
import { userPath } from '../../parts/user-link.tsx';
import { ViewHead } from '../../parts/view.tsx';
import { LatestUsers } from './latest-users.tsx';
import { UserDetail } from './user-detail.tsx';

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
    setBusy(true);
    findUser(wanted)
      .then((found) => route(userPath(found)), setFailure)
      .finally(() => setBusy(false));
  };
  useEscape(hashId === undefined ? undefined : () => route('/users'));
  const label = `${namesOfUser()} of a user`;
  const userId = hashId && foundBy(hashId);
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
              {userId && (
                <>
                  Looked up by the userId{' '}
                  <strong>
                    <Text of={userId} />
                  </strong>
                  , known while this page is open.{' '}
                </>
              )}
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
            <Icon name="search" /> Find
          </button>
        </form>
      )}
      {findsByUserId() && hashId === undefined && <p class="note">A userId is stored nowhere.</p>}
      {failure && <Failure error={failure} />}
    </>
  );
}
