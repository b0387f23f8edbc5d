import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { AnswerOf, RequestOf } from '../../../contract/endpoints.ts';
import { about, flagsOf, offers, svcCommand } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { useFilters } from '../../data/filters.ts';
import { usePages } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { FilterBar, type FilterField } from '../../parts/filter-bar.tsx';
import { MessagePreview } from '../../parts/message-preview.tsx';
import { counted } from '../../parts/numbers.ts';
import { PagedList } from '../../parts/pages.tsx';
import { keptRange, RangeControl, rangeOf } from '../../parts/range.tsx';
import { Empty, Failure } from '../../parts/states.tsx';
import { Cut, Id } from '../../parts/text.tsx';
import { Ago } from '../../parts/time.tsx';
import { ViewHead } from '../../parts/view.tsx';
import { ByContent } from './by-content.tsx';

type Message = AnswerOf<'peekMessages'>['messages'][number];
type Outcome = RequestOf<'messageOutcome'>['type'];

const FIELDS: readonly FilterField[] = [
  { name: 'hashId', label: 'User', kind: 'text', placeholder: 'hashId' },
  { name: 'surface', label: 'Surface', kind: 'text', placeholder: 'any' },
  { name: 'channel', label: 'Channel', kind: 'text', placeholder: 'any' },
];

const OUTCOMES: readonly (readonly [Outcome, string])[] = [
  ['opened', 'Opened'],
  ['clicked', 'Clicked'],
  ['actioned', 'Actioned'],
  ['dismissed', 'Dismissed'],
];

/**
 * The pending messages of a user as an app would show them, with the outcomes that the app would report. They are not
 * served by being looked at.
 */
export function MessagesView(): VNode {
  const filters = useFilters();
  const { hashId = '', surface, channel } = filters.values;
  const ready = hashId !== '';
  const [settled, setSettled] = useState(false);
  const pages = usePages(
    ready ? JSON.stringify([hashId, surface, channel]) : undefined,
    async (after, signal) => {
      const { messages, next } = await call('peekMessages', {
        params: { hashId },
        query: { surface, channel, after },
        signal,
      });
      return { items: messages, next };
    },
  );
  return (
    <>
      <ViewHead
        title="Messages"
        summary={
          ready
            ? !pages.loading && counted(pages.items.length, 'pending message')
            : 'what was shown and tapped, and what waits for an app or an answer'
        }
        command={
          ready
            ? svcCommand('messages', 'list', '--peek', ...flagsOf({ hashId, surface, channel }))
            : undefined
        }
        refresh={ready ? pages.reload : undefined}
      />
      <div class="toolbar">
        <FilterBar filters={filters} fields={FIELDS} inline />
        {!ready && <RangeControl filters={filters} all={false} />}
      </div>
      {!ready && <ByContent filters={filters} settled={() => setSettled(true)} />}
      {!ready && (
        // It is loaded meanwhile, and shown once what stands above it has its height.
        <div hidden={!settled}>
          <Latest />
        </div>
      )}
      {ready && (
        <PagedList
          what="the messages"
          pages={pages}
          empty={
            <Empty
              title="No pending messages."
              command={svcCommand('decide', ...flagsOf({ hashId, channel: channel || 'in-app', surface }))}
            >
              <p>A decision for this user makes one:</p>
            </Empty>
          }
        >
          {(items) => (
            <ul class="messages" aria-label="Pending messages">
              {items.map((message) => (
                <li key={message.decisionId}>
                  <MessageItem message={message} />
                </li>
              ))}
            </ul>
          )}
        </PagedList>
      )}
    </>
  );
}

/** Users whose messages are shown where no user is chosen; few before a remote service, which counts each read. */
const usersShown = () => (about.value?.local ? 8 : 2);

/** The pending messages of the users who had a decision last. */
function Latest(): VNode {
  const filters = useFilters();
  const range = rangeOf(filters);
  const pages = usePages(`latest ${keptRange(filters.values)}`, async (_, signal) => {
    const { decisions } = await call('listDecisions', {
      query: { ...range, order: 'newest', limit: '100' },
      signal,
    });
    const users = [...new Set(decisions.map(({ hashId }) => hashId))].slice(0, usersShown());
    const items = await Promise.all(
      users.map(async (hashId) => {
        const { messages } = await call('peekMessages', { params: { hashId }, signal });
        return messages.map((message) => ({ hashId, message }));
      }),
    );
    return { items: items.flat(), next: null };
  });
  return (
    <PagedList
      what="the latest messages"
      pages={pages}
      empty={
        <Empty
          title="No messages wait for the users of the latest decisions."
          command={svcCommand('decide', '--user-id', 'u_1', '--channel', 'in-app')}
        >
          <p>Choose a user above, or make a decision, whose message waits until an app fetches it:</p>
        </Empty>
      }
    >
      {(items) => (
        <section class="latest" aria-label="Messages that wait">
          <h2>
            {counted(items.length, 'message waits', 'messages wait')} for the users of the latest decisions
          </h2>
          <ul class="messages" aria-label="Latest messages">
            {items.map(({ hashId, message }) => (
              <li key={message.decisionId}>
                <MessageItem message={message} hashId={hashId} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </PagedList>
  );
}

function MessageItem({ message, hashId }: { message: Message; hashId?: string }): VNode {
  const { decisionId, contentId, format, surface, servedAt } = message;
  const [reported, setReported] = useState<readonly Outcome[]>([]);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const report = (type: Outcome) => {
    setBusy(true);
    setError(undefined);
    call('messageOutcome', { params: { decisionId }, body: { type } })
      .then(() => setReported((before) => [...before, type]), setError)
      .finally(() => setBusy(false));
  };
  return (
    <article class="box" aria-label={`Message ${contentId} of ${decisionId}`}>
      <MessagePreview message={message} />
      <h2>
        <Cut of={contentId} /> <Badge>{format}</Badge>
      </h2>
      <p class="note">
        {hashId !== undefined && (
          <>
            for{' '}
            <a href={`/users/${encodeURIComponent(hashId)}`}>
              <Id of={hashId} short={8} />
            </a>
            {' · '}
          </>
        )}
        <a href={`/decisions/${encodeURIComponent(decisionId)}`}>
          <Id of={decisionId} short />
        </a>
        {surface !== null && (
          <>
            {' on '}
            <Cut of={surface} />
          </>
        )}
        {servedAt === null ? (
          ' · waits for the app'
        ) : (
          <>
            {' · seen, first '}
            <Ago at={servedAt} />
          </>
        )}
      </p>
      {offers('messageOutcome') && (
        <fieldset class="outcomes">
          <legend class="note">Report, as an app would:</legend>
          {OUTCOMES.map(([type, label]) => (
            <button type="button" disabled={busy || reported.includes(type)} onClick={() => report(type)}>
              {label}
            </button>
          ))}
        </fieldset>
      )}
      <p class="note" role="status">
        {reported.length > 0 && `Reported: ${reported.join(', ')}`}
      </p>
      {error && <Failure error={error} />}
    </article>
  );
}
