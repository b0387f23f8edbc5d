import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { objectOf } from '../../../kit/object-of.ts';
import { followEvery, offers, svcCommand } from '../../data/about.ts';
import { call, search } from '../../data/api.ts';
import { useResource } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { Command, Json } from '../../parts/command.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { type Fact, Facts } from '../../parts/facts.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { Id, Text } from '../../parts/text.tsx';
import { duration, Time } from '../../parts/time.tsx';
import {
  attemptWords,
  DELIVERY_TONES,
  type DeliveryRecord,
  isSuccess,
  signedWords,
  type Webhook,
} from './webhook-words.ts';

/** One delivery, wherever it is in the list; it is read again as long as attempts are to come. */
export function DeliveryPanel(props: {
  id: string;
  /** Those that are known, which it names by their addresses. */
  webhooks: readonly Webhook[];
  close: () => void;
  changed: () => void;
}): VNode {
  const { id, webhooks, close, changed } = props;
  const [ended, setEnded] = useState(false);
  const { value, error, reload } = useResource(
    id,
    async (signal) => {
      const record = await call('getDelivery', { params: { id }, signal });
      setEnded(record.status !== 'pending');
      return record;
    },
    ended ? undefined : followEvery(),
  );
  return (
    <Panel title={value ? <Text of={value.type} /> : 'Delivery'} close={close}>
      {error && <Failure error={error} retry={reload} />}
      {!value && !error && <Loading what="the delivery" />}
      {value && (
        <Record
          of={value}
          url={webhooks.find((each) => each.id === value.webhookId)?.url}
          changed={() => {
            reload();
            changed();
          }}
        />
      )}
    </Panel>
  );
}

/** The body as a value; as the text that it is where it is not JSON. */
function bodyOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** What a delivery tells of, with links to it. */
function aboutFacts(body: string): readonly Fact[] {
  const { decisionId, notificationId, hashId } = objectOf(bodyOf(body));
  const fact = (name: string, view: string, of: unknown): readonly Fact[] =>
    typeof of === 'string' && of !== ''
      ? [
          {
            name,
            value: (
              <a href={`${view}/${encodeURIComponent(of)}`}>
                <Id of={of} short={20} />
              </a>
            ),
          },
        ]
      : [];
  return [
    ...fact('Decision', '/decisions', decisionId),
    ...fact('Notification', '/notifications', notificationId),
    ...fact('User', '/users', hashId),
  ];
}

/** The attempts with status, duration and signing secrets, the body, and sending it again. */
function Record(props: { of: DeliveryRecord; url: string | undefined; changed: () => void }): VNode {
  const { of, url, changed } = props;
  const { deliveryId, webhookId, status, occurredAt, nextAttemptAt, attempts, body } = of;
  const [asking, setAsking] = useState(false);
  const redeliver = () => call('redeliver', { params: { id: webhookId, deliveryId } }).then(changed);
  return (
    <>
      <Facts
        facts={[
          { name: 'State', value: <Badge tone={DELIVERY_TONES[status]}>{status}</Badge> },
          { name: 'Delivery', value: <Id of={deliveryId} /> },
          {
            name: 'Subscription',
            value: (
              <>
                <a
                  href={`/webhooks${search({ webhookId })}`}
                  aria-label={`All deliveries to ${url ?? webhookId}`}
                >
                  <Text of={url ?? webhookId} />
                </a>{' '}
                {url && <Id of={webhookId} />}
              </>
            ),
          },
          ...aboutFacts(body),
          { name: 'Happened', value: <Time at={occurredAt} millis /> },
          ...(nextAttemptAt === null ? [] : [{ name: 'Next attempt', value: <Time at={nextAttemptAt} /> }]),
        ]}
      />
      <h3>Attempts</h3>
      {attempts.length === 0 && <p class="note">None yet.</p>}
      <ol class="attempts" aria-label="Attempts">
        {attempts.map((attempt) => (
          <li key={attempt.at}>
            <Time at={attempt.at} millis />
            <span class={isSuccess(attempt) ? 'good' : 'bad'}>
              <Text of={attemptWords(attempt)} />
            </span>
            <span class="note">{duration(attempt.durationMs)}</span>
            {signedWords(attempt) !== '' && <span class="note">{signedWords(attempt)}</span>}
          </li>
        ))}
      </ol>
      <h3>Body</h3>
      <Json of={bodyOf(body)} label="the body" />
      <p class="note">The same bytes in each attempt. Its headers and the body of the answer are not kept.</p>
      <Command line={svcCommand('webhooks', 'delivery', deliveryId)} label="show this delivery" />
      {offers('redeliver') && (
        <button type="button" onClick={() => setAsking(true)}>
          Deliver again
        </button>
      )}
      <Command line={svcCommand('webhooks', 'redeliver', webhookId, deliveryId)} label="deliver it again" />
      {asking && (
        <Confirm title="Deliver again?" verb="Deliver again" run={redeliver} close={() => setAsking(false)}>
          <p>
            The same bytes are sent once more under the same identifier. The receiver may have them already.
          </p>
        </Confirm>
      )}
    </>
  );
}
