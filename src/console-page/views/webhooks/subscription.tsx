import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { offers, svcCommand } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { failedHow, isOver, receivingOf, type Went } from '../../data/receivers.ts';
import { Badge } from '../../parts/badge.tsx';
import { Command, CommandButton } from '../../parts/command.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Cards, type Fact } from '../../parts/facts.tsx';
import { count, counted, percent } from '../../parts/numbers.ts';
import { Address, Id, Text } from '../../parts/text.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { Box } from '../../parts/view.tsx';
import { Enable } from './enable.tsx';
import type { Sending } from './progress.tsx';
import { Resend } from './resend.tsx';
import {
  type Attempt,
  attemptWords,
  type Delivery,
  isSuccess,
  pendingWords,
  reasonOf,
  sinceOf,
  type Webhook,
} from './webhook-words.ts';

/** One subscription: whether it works, what to do, what failed last, and what it gets. */
export function Subscription(props: {
  webhook: Webhook;
  /** The latest deliveries that failed or wait for a retry; undefined before they are read. */
  failing: readonly Delivery[] | undefined;
  /** How its attempts in the range of time of the view went; undefined where there was none. */
  went: Went | undefined;
  /** The range in words. */
  when: string;
  since: string | undefined;
  sent: (sending: Sending) => void;
  reload: () => void;
  open: (deliveryId: string) => void;
}): VNode {
  const { webhook, failing, went, when, open } = props;
  const { id, events, description, filter, headers = [] } = webhook;
  const last = latestFailure(failing ?? []);
  return (
    <Box
      title={<Answer of={webhook} last={last} went={went} when={when} />}
      label="Subscription"
      note={
        <>
          {description !== undefined && (
            <>
              <Text of={description} /> ·{' '}
            </>
          )}
          <Id of={id} />
        </>
      }
    >
      <NextStep {...props} />
      {last && (
        <p>
          Failed most recently:{' '}
          <button type="button" class="row-button" onClick={() => open(last.delivery.deliveryId)}>
            <Text of={last.delivery.type} />
          </button>
          , at <Time at={last.attempt.at} />: <Text of={attemptWords(last.attempt)} />
        </p>
      )}
      <Cards facts={[...factsOf(webhook), secretFact(webhook)]} />
      <div class="tags">
        <h3>Gets</h3>
        <ul class="badges">
          {events.map((event) => (
            <li key={event}>
              <Badge>
                <Text of={event} />
              </Badge>
            </li>
          ))}
        </ul>
        {filter !== undefined && (
          <p>
            of these, what passes{' '}
            <code>
              <Text of={filter} />
            </code>
          </p>
        )}
        {headers.length > 0 && (
          <p class="note">
            with the headers <Text of={headers.join(', ')} />, whose values are not shown
          </p>
        )}
      </div>
      <Actions {...props} />
    </Box>
  );
}

interface FailedAttempt {
  readonly delivery: Delivery;
  readonly attempt: Attempt;
}

/** The latest of the attempts that failed, of the deliveries that have not arrived. */
function latestFailure(failing: readonly Delivery[]): FailedAttempt | undefined {
  const [last] = failing
    .flatMap((delivery) => {
      const attempt = delivery.attempts.at(-1);
      return attempt && !isSuccess(attempt) ? [{ delivery, attempt }] : [];
    })
    .sort((a, b) => (a.attempt.at < b.attempt.at ? 1 : -1));
  return last;
}

/** Whether it works: since when not, and why. */
function Answer(props: {
  of: Webhook;
  last: FailedAttempt | undefined;
  went: Went | undefined;
  when: string;
}): VNode {
  const { of: webhook, last, went, when } = props;
  const since = sinceOf(webhook);
  const at = since !== undefined && (
    <>
      {' since '}
      <Time at={since} />
    </>
  );
  const why = last && (
    <>
      : <Text of={reasonOf(last.delivery) ?? attemptWords(last.attempt)} />
    </>
  );
  switch (receivingOf(webhook)) {
    case 'disabled':
      return (
        <>
          Disabled{at}
          {webhook.missed && `, and missed ${counted(webhook.missed.outcomes, 'outcome')}`}:{' '}
          <Text of={webhook.disabledReason ?? 'nobody said why'} />
        </>
      );
    case 'answers':
      return <Answers went={went} when={when} />;
    case 'given up':
      return (
        <>
          Fails{at}, and all was given up{why}
        </>
      );
    case 'failing':
      return (
        <>
          Fails{at}
          {why}
        </>
      );
    default:
      return (
        <>
          Retrying{at}
          {why}
        </>
      );
  }
}

/** How a receiver does that answered the latest attempt. */
function Answers({ went, when }: { went: Went | undefined; when: string }): VNode {
  if (!went) return <>Enabled: nothing was attempted in this range</>;
  const how = failedHow(went);
  if (!how) return <>Works: the latest attempt succeeded</>;
  const share = `${percent(1 - went.delivered / went.attempts)} of the ${count(went.attempts)} attempts ${when}`;
  return isOver(went) ? (
    <>
      Works: the latest {count(went.lastFailure!.delivered)} attempts succeeded. It failed {how} until{' '}
      <Time at={went.lastFailure!.before} whole />: {share}
    </>
  ) : (
    <>
      Fails {how}: {share} failed; the latest succeeded
    </>
  );
}

/** What is to be done now, where it is something: the one thing. */
function NextStep(props: {
  webhook: Webhook;
  failing: readonly Delivery[] | undefined;
  since: string | undefined;
  sent: (sending: Sending) => void;
}): VNode | null {
  const { webhook, failing = [], since, sent } = props;
  const [asking, setAsking] = useState(false);
  const state = receivingOf(webhook);
  if (state === 'disabled') {
    const { id } = webhook;
    return (
      <div class="next-step">
        {offers('updateWebhook') ? (
          <Enable webhook={webhook} sent={sent} />
        ) : (
          <CommandButton
            word="Enable"
            line={svcCommand('webhooks', 'update', id, '--status', 'active', '--from', 'disabled')}
          >
            This enables it, and sends what it missed:
          </CommandButton>
        )}
        <span>This sends what it missed, or what occurs from then on.</span>
      </div>
    );
  }
  if (state === 'answers' && failing.length === 0) return null;
  return (
    <div class="next-step">
      {offers('redeliverMany') && failing.length > 0 && (
        <button type="button" class="primary" onClick={() => setAsking(true)}>
          Resend what has not arrived…
        </button>
      )}
      <span>
        {state === 'answers'
          ? 'The receiver answers again.'
          : state === 'given up'
            ? 'Nothing is sent again without you.'
            : 'What waits is sent again without you, at longer and longer intervals, or now.'}
      </span>
      {asking && <Resend active={[webhook]} since={since} sent={sent} close={() => setAsking(false)} />}
    </div>
  );
}

const factsOf = (webhook: Webhook): readonly Fact[] => {
  const { pending, catchingUp, maxRate, leaseUntil } = webhook;
  return [
    {
      name: 'Waiting',
      value: pending === undefined ? 'unknown' : pendingWords(pending),
      note:
        catchingUp && !catchingUp.allQueued
          ? `and what it missed: ${count(catchingUp.queued)} queued so far`
          : 'with an attempt to come',
    },
    { name: 'Subscribed', value: <Ago at={webhook.createdAt} /> },
    ...(maxRate === undefined ? [] : [{ name: 'At most', value: `${count(maxRate)} a second` }]),
    ...(leaseUntil === undefined
      ? []
      : [{ name: 'Ends', value: <Time at={leaseUntil} />, note: 'unless renewed' }]),
  ];
};

const secretFact = ({ secretVersion = 1, secretSince }: Webhook): Fact => ({
  name: 'Signing secret',
  value: secretSince === undefined ? 'unknown' : <Ago at={secretSince} />,
  note: `set then, version ${secretVersion}; never shown`,
});

/** What else can be done here, and by which commands the rest is done. */
function Actions(props: {
  webhook: Webhook;
  failing: readonly Delivery[] | undefined;
  since: string | undefined;
  sent: (sending: Sending) => void;
  reload: () => void;
}): VNode {
  const { webhook, failing = [], since, sent, reload } = props;
  const { id, url, status } = webhook;
  const [asking, setAsking] = useState<'disable' | 'resend'>();
  const close = () => setAsking(undefined);
  const isActive = status === 'active';
  const isNextStep = receivingOf(webhook) !== 'answers' || failing.length > 0;
  const disable = () => call('updateWebhook', { params: { id }, body: { status: 'disabled' } }).then(reload);
  return (
    <>
      <div class="actions">
        {offers('redeliverMany') && !isNextStep && (
          <button type="button" onClick={() => setAsking('resend')}>
            Resend what arrived…
          </button>
        )}
        <CommandButton word="Send a test" line={svcCommand('webhooks', 'test', url)}>
          This sends valid and invalid deliveries to it, and says what it answers to each:
        </CommandButton>
        <CommandButton
          word="Change"
          line={svcCommand('webhooks', 'update', id, '--event', webhook.events.join(','))}
        >
          This changes which kinds of event it gets; other flags change its address, filter and rate:
        </CommandButton>
        <CommandButton word="Rotate the secret" line={svcCommand('webhooks', 'rotate', id)}>
          This replaces its secret; for 24 hours, both sign:
        </CommandButton>
        {isActive && offers('updateWebhook') && (
          <button type="button" class="danger" onClick={() => setAsking('disable')}>
            Disable…
          </button>
        )}
        {isActive && !offers('updateWebhook') && (
          <CommandButton word="Disable" line={svcCommand('webhooks', 'update', id, '--status', 'disabled')}>
            This sends nothing more:
          </CommandButton>
        )}
      </div>
      {asking === 'disable' && (
        <Confirm title="Disable the subscription?" verb="Disable" danger run={disable} close={close}>
          <p>
            Nothing more is sent to <Address of={url} />. What occurs is kept, and can be sent when it is
            enabled.
          </p>
          <Command line={svcCommand('webhooks', 'update', id, '--status', 'disabled')} label="disable it" />
        </Confirm>
      )}
      {asking === 'resend' && (
        <Resend active={[webhook]} since={since} begin="all" sent={sent} close={close} />
      )}
    </>
  );
}
