import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { offers, svcCommand } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { receivingOf } from '../../data/receivers.ts';
import { Badge } from '../../parts/badge.tsx';
import { Command, CommandButton } from '../../parts/command.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Cards, type Fact } from '../../parts/facts.tsx';
import { count, percent } from '../../parts/numbers.ts';
import { Term } from '../../parts/term.tsx';
import { Address, Cut, Id, Text } from '../../parts/text.tsx';
import { Ago, duration, Time } from '../../parts/time.tsx';
import { Box } from '../../parts/view.tsx';
import type { DeliveryTrend } from './attempt-history.tsx';
import { Enable } from './enable.tsx';
import type { Sending } from './progress.tsx';
import { Resend } from './resend.tsx';
import { pendingWords, sinceOf, stateOf, type Webhook } from './webhook-words.ts';

/** One subscription: what it gets, how it is, and what can be done with it. `went` are its attempts, `when` their range in words. */
export function Subscription(props: {
  webhook: Webhook;
  went: DeliveryTrend | undefined;
  when: string;
  since: string | undefined;
  sent: (sending: Sending) => void;
  reload: () => void;
}): VNode {
  const { webhook, went, when } = props;
  const {
    id,
    url,
    events,
    description,
    filter,
    headers = [],
    status,
    disabledReason,
    failingSince,
  } = webhook;
  return (
    <Box
      title={<Cut of={description ?? url} />}
      label="Subscription"
      note={
        <>
          {description !== undefined && <Text of={url} />} <Id of={id} />
        </>
      }
    >
      {status === 'disabled' && (
        <p>
          It gets nothing: <Text of={disabledReason ?? 'disabled'} />.
        </p>
      )}
      {status === 'active' && failingSince !== undefined && (
        <p>
          Every attempt has failed since <Time at={failingSince} />. What waits is sent again without you, at
          longer and longer intervals; once the receiver is well, it can be sent at once.
        </p>
      )}
      <Cards facts={[...factsOf(webhook), ...attemptFacts(went, when), secretFact(webhook)]} />
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

const factsOf = (webhook: Webhook): readonly Fact[] => {
  const { createdAt, pending, catchingUp, maxRate, leaseUntil } = webhook;
  const [tone, words] = stateOf(webhook);
  const since = sinceOf(webhook);
  return [
    {
      name: 'State',
      value: <Badge tone={tone}>{words}</Badge>,
      note: (
        <>
          {since === undefined ? 'subscribed' : 'since'} <Time at={since ?? createdAt} />
        </>
      ),
    },
    {
      name: 'Waiting',
      value: pending === undefined ? 'not said' : pendingWords(pending),
      note:
        catchingUp && !catchingUp.allQueued
          ? `and what it missed: ${count(catchingUp.queued)} queued so far`
          : 'deliveries with an attempt to come',
    },
    ...(maxRate === undefined ? [] : [{ name: 'At most', value: `${count(maxRate)} a second` }]),
    ...(leaseUntil === undefined
      ? []
      : [{ name: 'Ends', value: <Time at={leaseUntil} />, note: 'unless renewed' }]),
  ];
};

const secretFact = ({ secretVersion = 1, secretSince }: Webhook): Fact => ({
  name: 'Signing secret',
  value: secretSince === undefined ? 'not said' : <Ago at={secretSince} />,
  note: `set then, version ${secretVersion}; never shown`,
});

function attemptFacts(went: DeliveryTrend | undefined, when: string): readonly Fact[] {
  if (!went) return [];
  const [own] = went.subscriptions;
  const time = (ms: number | undefined) => (ms === undefined ? '–' : duration(ms));
  return [
    { name: 'Attempts', value: count(own?.attempts ?? 0), note: when },
    { name: 'Succeeded', value: own ? percent(own.delivered / own.attempts) : '–', note: when },
    { name: <Term of="P95" />, value: time(own?.p95Ms), note: `of the answers; P50 ${time(own?.p50Ms)}` },
  ];
}

/** What can be done here, and by which commands the rest is done. */
function Actions(props: {
  webhook: Webhook;
  since: string | undefined;
  sent: (sending: Sending) => void;
  reload: () => void;
}): VNode {
  const { webhook, since, sent, reload } = props;
  const { id, url, status } = webhook;
  const [asking, setAsking] = useState<'disable' | 'resend'>();
  const close = () => setAsking(undefined);
  const isActive = status === 'active';
  const disable = () => call('updateWebhook', { params: { id }, body: { status: 'disabled' } }).then(reload);
  return (
    <>
      <div class="actions">
        {offers('updateWebhook') && !isActive && <Enable webhook={webhook} sent={sent} />}
        {offers('redeliverMany') && isActive && (
          <button
            type="button"
            class={receivingOf(webhook) === 'answers' ? undefined : 'primary'}
            onClick={() => setAsking('resend')}
          >
            Resend…
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
          This replaces its secret; for 24 hours, both sign. A secret is shown once, and never by this page:
        </CommandButton>
        {offers('updateWebhook') && isActive && (
          <button type="button" class="danger" onClick={() => setAsking('disable')}>
            Disable…
          </button>
        )}
        {!offers('updateWebhook') && (
          <CommandButton
            word={isActive ? 'Disable' : 'Enable'}
            line={svcCommand(
              'webhooks',
              'update',
              id,
              '--status',
              ...(isActive ? ['disabled'] : ['active', '--from', 'disabled']),
            )}
          >
            {isActive ? 'This sends nothing more:' : 'This enables it, and sends what it missed:'}
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
      {asking === 'resend' && <Resend active={[webhook]} since={since} sent={sent} close={close} />}
    </>
  );
}
