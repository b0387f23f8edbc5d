import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { svcCommand } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { useResource } from '../../data/resource.ts';
import { Command } from '../../parts/command.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Instant } from '../../parts/instant.tsx';
import { count, counted } from '../../parts/numbers.ts';
import { Segments } from '../../parts/segments.tsx';
import { Failure } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import type { Sending } from './progress.tsx';
import type { Webhook } from './webhook-words.ts';

/** From so many on, a count may be more. */
const MOST_COUNTED = 10_000;

const CHOICES = [
  ['disabled', 'Since it was disabled'],
  ['now', 'From now'],
  ['time', 'Since a time'],
] as const;

/** Enables a subscription that is disabled, after it was said how many outcomes it missed and which of them it gets. */
export function Enable({ webhook, sent }: { webhook: Webhook; sent: (sending: Sending) => void }): VNode {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <button type="button" class="primary" onClick={() => setAsking(true)}>
        Enable…
      </button>
      {asking && <EnableDialog webhook={webhook} sent={sent} close={() => setAsking(false)} />}
    </>
  );
}

/** Asks which of the outcomes that a subscription missed it gets, says how many they are, and enables it. */
export function EnableDialog(props: {
  webhook: Webhook;
  sent: (sending: Sending) => void;
  close: () => void;
}): VNode {
  const { id, disabledAt } = props.webhook;
  const [choice, setChoice] = useState<string>('disabled');
  const [time, setTime] = useState(disabledAt ?? new Date().toISOString());
  const from = choice === 'time' ? time : choice;
  const { value, error, reload } = useResource(`${id} ${from}`, (signal) =>
    call('getWebhook', {
      params: { id },
      query: { from: choice === 'now' ? 'disabled' : from || 'disabled' },
      signal,
    }),
  );
  const run = async () => {
    if (from === '') throw new Error('Choose a date and a time.');
    const at = new Date().toISOString();
    await call('updateWebhook', { params: { id }, body: { status: 'active', from } });
    const { missed, pending: waited = 0 } = value ?? {};
    const announced = choice === 'now' || !missed ? 0 : missed.outcomes - missed.erased;
    props.sent({ what: 'missed', at, to: [{ id, announced, waited }] });
  };
  return (
    <Confirm title="Enable the subscription?" verb="Enable" run={run} close={props.close}>
      <p>Which outcomes it gets:</p>
      <Segments label="Which outcomes it gets" options={CHOICES} chosen={choice} choose={setChoice} />
      {choice === 'time' && <Instant label="Since" value={time} set={setTime} />}
      {error ? (
        <Failure error={error} retry={reload} />
      ) : (
        <p role="status">
          {value ? (
            <>
              <Missed missed={value.missed} isSent={choice !== 'now'} /> <Waiting n={value.pending} />
            </>
          ) : (
            'Counting what it missed…'
          )}
        </p>
      )}
      <Command
        line={svcCommand('webhooks', 'update', id, '--status', 'active', '--from', from || 'disabled')}
        label="enable it"
      />
    </Confirm>
  );
}

/** The deliveries that waited when it was disabled, which go out whatever is chosen. */
function Waiting({ n = 0 }: { n: number | undefined }): VNode | null {
  if (n === 0) return null;
  return (
    <>
      <b>
        {count(n)}
        {n >= MOST_COUNTED && '+'} {n === 1 ? 'delivery' : 'deliveries'}
      </b>{' '}
      from before it was disabled {n === 1 ? 'waits and goes' : 'wait and go'} out too, with{' '}
      {n === 1 ? 'its' : 'their'} next attempt.
    </>
  );
}

/** How many outcomes a subscription missed, and what becomes of them. */
function Missed({ missed, isSent }: { missed: Webhook['missed']; isSent: boolean }): VNode {
  if (!missed) return <>This service does not say how many outcomes it missed.</>;
  const { from, outcomes, erased, removedBefore } = missed;
  return (
    <>
      It missed <b>{counted(outcomes, 'outcome')}</b> since <Time at={from} />.{' '}
      {outcomes > 0 &&
        (isSent
          ? 'They are sent in order of occurrence, behind new ones.'
          : 'They are not sent: it gets what occurs from now on.')}
      {isSent && erased > 0 && ` Of these, ${counted(erased, 'is', 'are')} of erased users, and not sent.`}
      {removedBefore !== undefined && (
        <>
          {' '}
          What occurred before <Time at={removedBefore} /> was removed by age.
        </>
      )}
    </>
  );
}
