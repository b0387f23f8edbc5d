import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { svcCommand } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { usePathPart } from '../../data/filters.ts';
import { usePages } from '../../data/resource.ts';
import { Icon } from '../../parts/icons.tsx';
import { PagedList } from '../../parts/pages.tsx';
import { Empty } from '../../parts/states.tsx';
import { Id } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { Box, ViewHead } from '../../parts/view.tsx';
import { UserDetail } from './user-detail.tsx';

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
  const find = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement).get('hashId');
    const wanted = typeof given === 'string' ? given.trim() : '';
    if (wanted !== '') route(`/users/${encodeURIComponent(wanted)}`);
  };
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
          hashId of a user
        </label>
        <input
          id="find-user"
          name="hashId"
          type="text"
          key={hashId}
          defaultValue={hashId}
          placeholder="hashId of a user"
          spellcheck={false}
          autocomplete="off"
          maxLength={500}
        />
        <button type="submit">
          <Icon name="search" /> Show
        </button>
      </form>
    </>
  );
}

/** The users of the latest decisions: somewhere to begin. */
function LatestUsers(): VNode {
  const pages = usePages('latest', async (_, signal) => {
    const { decisions } = await call('listDecisions', { query: { order: 'newest', limit: '200' }, signal });
    const latest = new Map<string, string>();
    for (const { hashId, at } of decisions) if (!latest.has(hashId)) latest.set(hashId, at);
    return { items: [...latest], next: null };
  });
  return (
    <Box title="Users of the latest decisions">
      <PagedList
        what="the latest users"
        pages={pages}
        empty={
          <Empty title="No decisions yet." command={svcCommand('users', 'import', 'users.csv')}>
            <p>Import users; each import prints their hashIds:</p>
          </Empty>
        }
      >
        {(items) => (
          <ul class="links inner" aria-label="Users of the latest decisions">
            {items.slice(0, 20).map(([hashId, at]) => (
              <li key={hashId}>
                <a href={`/users/${encodeURIComponent(hashId)}`}>
                  <span class="line">
                    <Id of={hashId} />
                    <Time at={at} />
                  </span>
                </a>
              </li>
            ))}
          </ul>
        )}
      </PagedList>
    </Box>
  );
}
