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
import { ViewHead } from '../../parts/view.tsx';

type Message = AnswerOf<'listMessages'>['messages'][number];
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

/** The pending messages of a user as an app would show them, with the outcomes that the app would report. */
export function MessagesView(): VNode {
  const filters = useFilters();
  const { hashId = '', surface, channel } = filters.values;
  const [polled, setPolled] = useState('');
  const ready = hashId !== '' && polled === hashId;
  const pages = usePages(
    ready ? JSON.stringify([hashId, surface, channel]) : undefined,
    async (after, signal) => {
      const { messages, next } = await call('listMessages', {
        query: { hashId, surface, channel, after },
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
        command={hashId === '' ? undefined : svcCommand('messages', 'list', ...flagsOf({ hashId }))}
        refresh={ready ? pages.reload : undefined}
      />
      <FilterBar filters={filters} fields={FIELDS} />
      {hashId === '' && (
        <Empty title="Choose a user by hashId." command={svcCommand('users', 'import', 'users.csv')}>
          <p>The hashId of a user is printed when the user is imported, and stands in every decision:</p>
        </Empty>
      )}
      {hashId !== '' && !offers('listMessages') && (
        <Empty title="This console is read-only." command={svcCommand('console', '--write')}>
          <p>To read messages is to poll as the app does, which counts as a contact. This console may:</p>
        </Empty>
      )}
      {hashId !== '' && !ready && offers('listMessages') && (
        <div class="state">
          <p class="state-title">Poll as the app does?</p>
          <p>A message that is served for the first time counts as a contact of the user from then on.</p>
          <button type="button" class="primary" onClick={() => setPolled(hashId)}>
            Show the messages
          </button>
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

function MessageItem({ message }: { message: Message }): VNode {
  const { decisionId, contentId, format, surface } = message;
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
