import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { about, flagsOf, followEvery, offers, svcCommand } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { useResource } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { Command } from '../../parts/command.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Cards } from '../../parts/facts.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { Id, Text } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { Timeline } from '../../parts/timeline.tsx';
import { Advice, canSucceed } from './advice.tsx';
import { MaskedPreview } from './masked-preview.tsx';
import {
  failureWords,
  historyWords,
  type Notification,
  reasonWords,
  sentence,
  stateTone,
  stateWords,
} from './notification-words.ts';

const isEnd = (status: Notification['status']) =>
  status === 'delivered' || status === 'failed' || status === 'cancelled';

/**
 * The delivery record of one notification: its states, why it is held back or failed, and its text with the values masked.
 * It is read again until the notification has reached its last state.
 */
export function NotificationDetail({ id }: { id: string }): VNode {
  const [ended, setEnded] = useState(false);
  const { value, error, reload } = useResource(
    id,
    async (signal) => {
      const record = await call('getNotification', { params: { id }, signal });
      setEnded(isEnd(record.status));
      return record;
    },
    ended ? undefined : followEvery(),
  );
  if (!value) return error ? <Failure error={error} retry={reload} /> : <Loading what="the notification" />;
  const held = value.history.findLast(({ status }) => status === 'held');
  return (
    <article class="detail" aria-label={`Notification ${id}`}>
      <p class="overline">
        <Id of={value.notificationId} />
      </p>
      <h2 class="detail-title">
        <Text of={value.templateId} /> <Badge tone={stateTone(value)}>{stateWords(value)}</Badge>
      </h2>
      {value.status === 'held' && value.heldUntil !== undefined && (
        <p class="lead">
          {held && sentence(reasonWords(held) ?? 'held back')} It is looked at again at{' '}
          <Time at={value.heldUntil} />.
        </p>
      )}
      {value.failure !== undefined && (
        <>
          <p class="lead">
            <strong>
              <Text of={failureWords(value.failure) ?? `${value.failure}.`} />
            </strong>{' '}
            <Advice of={value.failure} />
          </p>
          {canSucceed(value.failure) && (
            <>
              <p>Then trigger it again, with --var k=v for each variable:</p>
              <Command line={triggerCommand(value)} label="trigger it again" />
            </>
          )}
        </>
      )}
      {value.status === 'delivered' && value.sentBy === 'outbox' && (
        <p class="lead">
          <strong>Nobody got it.</strong>{' '}
          {about.value?.workspace.mode === 'test' ? (
            'A test workspace writes notifications to a file, the outbox, and sends none. A live one sends them.'
          ) : (
            <>
              The service has no provider for {value.channel}, and wrote it to a file, the outbox. Give it one
              where it runs: <a href="/service">Service</a> says which channels have one.
            </>
          )}
        </p>
      )}
      <Cards
        facts={[
          { name: 'Channel', value: <Text of={value.channel} /> },
          { name: 'Purpose', value: <Text of={value.priority} /> },
          {
            name: 'User',
            value: (
              <a href={`/users/${encodeURIComponent(value.hashId)}`}>
                <Id of={value.hashId} short />
              </a>
            ),
            note: 'hashId only',
          },
        ]}
      />
      <Timeline label="States" items={[...value.history].reverse().map(stateItem)} />
      {offers('getCatalog') && <MaskedPreview templateId={value.templateId} channel={value.channel} />}
      <Command line={svcCommand('notifications', 'get', value.notificationId)} label="this notification" />
      {!isEnd(value.status) && <Cancellation id={value.notificationId} changed={reload} />}
    </article>
  );
}

const triggerCommand = ({ hashId, templateId, channel }: Notification): string =>
  svcCommand('notifications', 'trigger', ...flagsOf({ hashId, template: templateId, channel }));

/** Ends a notification, and says whether anything of it had left. */
function Cancellation({ id, changed }: { id: string; changed: () => void }): VNode {
  const [asking, setAsking] = useState(false);
  const [left, setLeft] = useState(false);
  const cancel = async () => {
    const { sentBefore } = await call('cancelNotification', { params: { id } });
    setLeft(sentBefore);
    changed();
  };
  return (
    <>
      {offers('cancelNotification') && (
        <div class="actions">
          <button type="button" class="danger" onClick={() => setAsking(true)}>
            Cancel the notification…
          </button>
        </div>
      )}
      {left && <p class="note">A message of it had left before, or may have.</p>}
      <Command line={svcCommand('notifications', 'cancel', id)} label="cancel it" />
      {asking && (
        <Confirm
          title="Cancel this notification?"
          verb="Cancel the notification"
          danger
          run={cancel}
          close={() => setAsking(false)}
        >
          <p>Nothing of it is sent any more. What a provider has taken cannot be called back.</p>
        </Confirm>
      )}
    </>
  );
}

function stateItem(transition: Notification['history'][number], index: number) {
  const { status, at } = transition;
  return {
    key: `${index} ${at} ${status}`,
    at,
    icon: status === 'failed' ? 'warn' : status === 'delivered' ? 'check' : 'bell',
    kind: '',
    title: historyWords(transition),
    body: reasonWords(transition),
  } as const;
}
