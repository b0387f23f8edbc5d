import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { AnswerOf, RequestOf } from '../../../contract/endpoints.ts';
import { offers } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import type { Filters } from '../../data/filters.ts';
import { Badge } from '../../parts/badge.tsx';
import { colourOf } from '../../parts/content-colours.ts';
import { MessagePreview } from '../../parts/message-preview.tsx';
import { count, counted } from '../../parts/numbers.ts';
import { Panel } from '../../parts/panel.tsx';
import { Failure } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Cut, Id, Text } from '../../parts/text.tsx';
import { Ago } from '../../parts/time.tsx';

/** A message that waits for an app, or for an answer of its user. */
export interface Waiting {
  readonly hashId: string;
  readonly message: AnswerOf<'peekMessages'>['messages'][number];
}

/** Those of one content in one format, which look alike. */
interface Group {
  readonly key: string;
  readonly contentId: string;
  readonly format: string;
  readonly items: readonly Waiting[];
}

type Outcome = RequestOf<'messageOutcome'>['type'];

const OUTCOMES: readonly (readonly [Outcome, string])[] = [
  ['opened', 'Opened'],
  ['clicked', 'Clicked'],
  ['actioned', 'Actioned'],
  ['dismissed', 'Dismissed'],
];

/** Messages by content and format, most of them first. */
function groupsOf(items: readonly Waiting[]): Group[] {
  const groups = new Map<string, Waiting[]>();
  for (const item of items) {
    const { contentId, format } = item.message;
    const key = `${format} ${contentId}`;
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return [...groups]
    .map(([key, each]) => ({
      key,
      contentId: each[0]!.message.contentId,
      format: each[0]!.message.format,
      items: each,
    }))
    .sort((a, b) => b.items.length - a.items.length);
}

/** A line for each content and format; choosing one shows how it looks, and its messages. */
export function MessageGroups(props: { label: string; items: readonly Waiting[]; filters: Filters }): VNode {
  const { label, items, filters } = props;
  return (
    <Table
      label={label}
      dense
      rows={groupsOf(items)}
      keyOf={({ key }) => key}
      current={({ key }) => key === filters.values.open}
      columns={columnsOf((open) => filters.set({ open }))}
    />
  );
}

/** The group that is chosen in the URL, beside the list. */
export function GroupPanel(props: { items: readonly Waiting[]; filters: Filters }): VNode | null {
  const { items, filters } = props;
  const group = groupsOf(items).find(({ key }) => key === filters.values.open);
  if (!group) return null;
  const texts = new Map(group.items.map(({ message }) => [`${message.title} ${message.body}`, message]));
  return (
    <Panel
      key={group.key}
      title={
        <>
          <Cut of={group.contentId} /> <Badge>{group.format}</Badge>
        </>
      }
      close={() => filters.set({ open: '' })}
    >
      <div class="looks">
        {[...texts].map(([key, message]) => (
          <MessagePreview key={key} message={message} />
        ))}
      </div>
      {texts.size > 1 && <p class="note">It has {count(texts.size)} texts, such as of different locales.</p>}
      <p class="note">{counted(group.items.length, 'message')}; each takes what an app would report:</p>
      <ul class="waiting" aria-label="Messages">
        {group.items.map((item) => (
          <li key={item.message.decisionId}>
            <MessageItem of={item} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const unseen = ({ items }: Group) => items.filter(({ message }) => message.servedAt === null).length;

const columnsOf = (open: (key: string) => void): readonly Column<Group>[] => [
  {
    title: 'Content',
    cell: ({ key, contentId }) => (
      <>
        <span class={`swatch ${colourOf(contentId)}`} aria-hidden="true" />
        <button type="button" class="row-button" onClick={() => open(key)}>
          <Cut of={contentId} />
        </button>
      </>
    ),
  },
  { title: 'Format', cell: ({ format }) => <Badge>{format}</Badge> },
  { title: 'Title', wide: true, cell: ({ items }) => <Cut of={items[0]!.message.title} long /> },
  {
    title: 'Users',
    align: 'end',
    wide: true,
    cell: ({ items }) => count(new Set(items.map(({ hashId }) => hashId)).size),
  },
  { title: 'Wait for an app', align: 'end', cell: (group) => count(unseen(group)) },
  {
    title: 'Seen, no answer',
    align: 'end',
    wide: true,
    cell: (group) => count(group.items.length - unseen(group)),
  },
];

/** A message of a user on a line, with the outcomes that an app would report. */
function MessageItem({ of: { hashId, message } }: { of: Waiting }): VNode {
  const { decisionId, contentId, surface, servedAt } = message;
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
    <article aria-label={`Message ${contentId} of ${decisionId}`}>
      <p>
        <a href={`/users/${encodeURIComponent(hashId)}`}>
          <Id of={hashId} short={8} />
        </a>{' '}
        <span class="note">
          <a href={`/decisions/${encodeURIComponent(decisionId)}`}>decision</a>
          {surface !== null && (
            <>
              {' on '}
              <Text of={surface} />
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
        </span>
      </p>
      {offers('messageOutcome') && (
        <fieldset class="outcomes">
          <legend class="visually-hidden">Report, as an app would</legend>
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
