import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { AnswerOf, RequestOf } from '../../../contract/endpoints.ts';
import { flagsOf, offers, svcCommand } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { useFilters } from '../../data/filters.ts';
import { usePages } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { FilterBar, type FilterField } from '../../parts/filter-bar.tsx';
import { MessagePreview } from '../../parts/message-preview.tsx';
import { counted } from '../../parts/numbers.ts';
import { PagedList } from '../../parts/pages.tsx';
import { Empty, Failure } from '../../parts/states.tsx';
import { Id, Text } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { ViewHead } from '../../parts/view.tsx';

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
        summary={ready && !pages.loading ? counted(pages.items.length, 'pending message') : undefined}
        command={
          ready
            ? svcCommand('messages', 'list', '--peek', ...flagsOf({ hashId, surface, channel }))
            : undefined
        }
        refresh={ready ? pages.reload : undefined}
      />
      <FilterBar filters={filters} fields={FIELDS} />
      {!ready && (
        <Empty title="Choose a user by hashId." command={svcCommand('users', 'import', 'users.csv')}>
          <p>
            The <a href="/users">users of the latest decisions</a> link to their messages. The hashId of a
            user is also printed when the user is imported:
          </p>
        </Empty>
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

function MessageItem({ message }: { message: Message }): VNode {
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
    <article class="box" aria-label={`Message ${contentId}`}>
      <MessagePreview message={message} />
      <h2>
        <Text of={contentId} /> <Badge>{format}</Badge>
      </h2>
      <p class="note">
        <a href={`/decisions/${encodeURIComponent(decisionId)}`}>
          <Id of={decisionId} short />
        </a>
        {surface !== null && (
          <>
            {' on '}
            <Text of={surface} />
          </>
        )}
        {servedAt === null ? (
          ' · not served yet'
        ) : (
          <>
            {' · first served '}
            <Time at={servedAt} />
          </>
        )}
      </p>
      {offers('messageOutcome') && (
        <fieldset class="outcomes">
          <legend class="visually-hidden">Report an outcome</legend>
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
