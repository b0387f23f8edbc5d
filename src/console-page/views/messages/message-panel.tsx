import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { RequestOf } from '../../../contract/endpoints.ts';
import { fallbacksOf } from '../../../kit/locale.ts';
import { offers } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { useResource } from '../../data/resource.ts';
import { Facts } from '../../parts/facts.tsx';
import {
  isOpen,
  type ListedMessage,
  MessageLife,
  outcomeWord,
  StateBadge,
} from '../../parts/message-life.tsx';
import { MessagePreview, type PreviewedMessage } from '../../parts/message-preview.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { Cut, Text } from '../../parts/text.tsx';
import { UserLink } from '../../parts/user-link.tsx';

type Outcome = RequestOf<'messageOutcome'>['type'];

const OUTCOMES: readonly (readonly [Outcome, string])[] = [
  ['opened', 'Opened'],
  ['actioned', 'Acted on'],
  ['dismissed', 'Dismissed'],
];

/** One message beside the list: how it looks, what happened to it, and what an app would report. */
export function MessagePanel({
  id,
  close,
  changed,
  seen,
}: {
  id: string;
  close: () => void;
  changed: () => void;
  /** Called with the message each time it was read. */
  seen: (message: ListedMessage) => void;
}): VNode {
  const { value, error, reload } = useResource(id, (signal) => load(id, signal));
  const [message, look] = value ?? [];
  useEffect(() => {
    if (message) seen(message);
  }, [message]);
  return (
    <Panel title={message ? <Cut of={message.contentId} /> : 'Message'} close={close}>
      {error && <Failure error={error} retry={reload} />}
      {!value && !error && <Loading what="the message" />}
      {value && !message && <Empty title="The service has no such message, or has removed it." />}
      {message && (
        <>
          {look ? (
            <div class="looks">
              <MessagePreview message={look} />
            </div>
          ) : (
            <p class="note">Its text is gone: the content is no longer in the catalog.</p>
          )}
          {look && !look.isOwn && (
            <p class="note">as the catalog has it now, in the locale of the decision</p>
          )}
          <p>
            <StateBadge of={message.state} />
          </p>
          <MessageLife of={message} />
          <Facts
            facts={[
              {
                name: 'User',
                value: <UserLink of={message.hashId} />,
              },
              { name: 'Surface', value: <Text of={message.context.surface ?? 'none'} /> },
              {
                name: 'Why it was chosen',
                value: <a href={`/decisions/${encodeURIComponent(id)}`}>decision</a>,
              },
            ]}
          />
          {isOpen(message) && offers('messageOutcome') && (
            <Report
              id={id}
              done={() => {
                reload();
                changed();
              }}
            />
          )}
        </>
      )}
    </Panel>
  );
}

/** A message, and how it looks: as it waits for the app or, once it does not, as the catalog has its content. */
async function load(
  decisionId: string,
  signal: AbortSignal,
): Promise<readonly [message?: ListedMessage, look?: PreviewedMessage & { isOwn: boolean }]> {
  const { messages } = await call('listLatestMessages', { query: { decisionId }, signal });
  const [message] = messages;
  if (!message) return [];
  if (isOpen(message) && message.hashId) {
    const { surface, channel } = message.context;
    const waiting = await call('peekMessages', {
      params: { hashId: message.hashId },
      query: { surface, channel },
      signal,
    });
    const own = waiting.messages.find((each) => each.decisionId === decisionId);
    if (own) return [message, { ...own, isOwn: true }];
  }
  const { catalog } = await call('getCatalog', { signal });
  const { contents = [] } = catalog as { contents?: readonly Stored[] };
  const content = contents.find(({ contentId }) => contentId === message.contentId);
  if (!content) return [message];
  const tag = fallbacksOf(message.context.locale ?? '').find((each) => content.texts?.[each]);
  return [message, { ...content, ...(tag && content.texts?.[tag]), isOwn: false }];
}

/** What of a content of the catalog a message shows. */
interface Stored extends PreviewedMessage {
  readonly contentId: string;
  readonly texts?: Readonly<Record<string, Pick<PreviewedMessage, 'title' | 'body'>>>;
}

/** Reports what an app would report. */
function Report({ id, done }: { id: string; done: () => void }): VNode {
  const [state, setState] = useState<{ busy?: boolean; said?: string; error?: Error }>({});
  const report = (type: Outcome) => {
    setState({ busy: true });
    call('messageOutcome', { params: { decisionId: id }, body: { type } }).then(
      () => {
        setState({ said: `Reported: ${outcomeWord(type)}` });
        done();
      },
      (error: Error) => setState({ error }),
    );
  };
  return (
    <>
      <fieldset class="report">
        <legend class="note">Report, as an app would:</legend>
        {OUTCOMES.map(([type, label]) => (
          <button type="button" disabled={state.busy} onClick={() => report(type)}>
            {label}
          </button>
        ))}
      </fieldset>
      <p class="note" role="status">
        {state.said}
      </p>
      {state.error && <Failure error={state.error} />}
    </>
  );
}
