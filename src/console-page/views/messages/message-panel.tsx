import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { RequestOf } from '../../../contract/endpoints.ts';
import { fallbacksOf } from '../../../kit/locale.ts';
import { apiCommand, offers } from '../../data/about.ts';
import { ApiError, call } from '../../data/api.ts';
import { languageOf } from '../../data/languages.ts';
import { useResource } from '../../data/resource.ts';
import { Command } from '../../parts/command.tsx';
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
import { Cut, Id, Text } from '../../parts/text.tsx';
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
          {look && <Source of={look} />}
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
              { name: 'Locale', value: <Text of={message.context.locale ?? 'none'} /> },
              {
                name: 'Why it was chosen',
                value: (
                  <a href={`/decisions/${encodeURIComponent(id)}`}>
                    <Id of={id} />
                  </a>
                ),
              },
            ]}
          />
          <Command label="this message" line={apiCommand('/v1/messages/latest', { decisionId: id })} />
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

/** Where the text is from: the message itself, the version of the catalog in force when it was decided, or that of now. */
interface Look extends PreviewedMessage {
  /** Why it has another language than that of the decision; undefined where it does not, or that is not known. */
  readonly untranslated?: string | undefined;
  readonly from: 'message' | 'now' | { readonly version: number; readonly since: 'same' | 'changed' };
}

/** Says where a text is from, unless the message itself has it, and whose language it has. */
function Source({ of: { from, untranslated } }: { of: Look }): VNode | null {
  if (from === 'message' && untranslated === undefined) return null;
  const { version, since } = typeof from === 'object' ? from : {};
  return (
    <p class="note">
      {from === 'now' && 'as the catalog has it now'}
      {version !== undefined && (
        <>
          as{' '}
          {version === 0 ? (
            'the catalog of the service'
          ) : (
            <a href={`/catalog/versions/${version}`}>version {version}</a>
          )}{' '}
          had it, in force when it was decided
        </>
      )}
      {untranslated !== undefined && (
        <>
          {from !== 'message' && '; '}
          <Text of={untranslated} />
        </>
      )}
      {since === 'changed' && '; the catalog of now has another text'}
    </p>
  );
}

/** A message, and how it looks: as it waits for the app or, once it does not, as the catalog has or had its content. */
async function load(
  decisionId: string,
  signal: AbortSignal,
): Promise<readonly [message?: ListedMessage, look?: Look]> {
  const { messages } = await call('listLatestMessages', { query: { decisionId }, signal });
  const [message] = messages;
  if (!message) return [];
  let own: PreviewedMessage | undefined;
  if (isOpen(message) && message.hashId) {
    const { surface, channel } = message.context;
    const waiting = await call('peekMessages', {
      params: { hashId: message.hashId },
      query: { surface, channel },
      signal,
    });
    own = waiting.messages.find((each) => each.decisionId === decisionId);
  }
  const { catalog, readOnly } = await call('getCatalog', { signal });
  const now = textIn(catalog, message);
  if (own) return [message, { ...own, untranslated: now?.untranslated, from: 'message' }];
  const decided = readOnly ? undefined : await versionThen(message, signal);
  const then = decided && textIn(decided.catalog, message);
  if (!decided || !then) return [message, now && { ...now, from: 'now' }];
  const isSame = then.title === now?.title && then.body === now?.body;
  return [message, { ...then, from: { version: decided.version, since: isSame ? 'same' : 'changed' } }];
}

/** The version of the catalog in force when a message was decided, which has its text; undefined if that is not known. */
async function versionThen({ at }: ListedMessage, signal: AbortSignal) {
  if (!offers('listCatalogVersions') || !offers('getCatalogVersion')) return undefined;
  const { versions } = await call('listCatalogVersions', { query: { until: at }, signal });
  const [latest] = versions;
  // A catalog of the service that was stored later may have been in force instead (svc serve --catalog).
  const ofService = await versionOf(0, signal);
  if (ofService?.createdAt && ofService.createdAt > (latest?.createdAt ?? at)) return undefined;
  return latest ? versionOf(latest.version, signal) : ofService;
}

/** A version of the catalog; undefined if it is no longer kept. */
async function versionOf(version: number, signal: AbortSignal) {
  try {
    return await call('getCatalogVersion', { params: { version: String(version) }, signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** The texts of a message in a catalog, in the locale of its decision; undefined if its content is not there. */
function textIn(
  catalog: object,
  { contentId, context: { locale } }: ListedMessage,
): Omit<Look, 'from'> | undefined {
  const { contents = [] } = catalog as { contents?: readonly Stored[] };
  const content = contents.find((each) => each.contentId === contentId);
  if (!content) return undefined;
  const texts = content.texts ?? {};
  const tag = fallbacksOf(locale).find((each) => texts[each]);
  if (tag) return { ...content, ...texts[tag] };
  const which = Object.keys(texts).length > 0 ? 'text for other locales' : 'only text, for all locales';
  const untranslated = locale && `its ${which}: it has none of its own for ${languageOf(locale) || locale}`;
  return { ...content, untranslated };
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
