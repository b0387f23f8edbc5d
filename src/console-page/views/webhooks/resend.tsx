import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { svcCommand } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { useResource } from '../../data/resource.ts';
import { Command } from '../../parts/command.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Instant } from '../../parts/instant.tsx';
import { counted } from '../../parts/numbers.ts';
import { Segments } from '../../parts/segments.tsx';
import { Failure } from '../../parts/states.tsx';
import { Address } from '../../parts/text.tsx';
import type { Sending } from './progress.tsx';
import type { Webhook } from './webhook-words.ts';

/** How long deliveries are kept. */
const KEPT_MS = 30 * 86_400_000;
/** Subscriptions whose commands are shown. */
const MOST_COMMANDS = 2;

const HOUR_MS = 3_600_000;

const words = (n: number) => counted(n, 'delivery', 'deliveries');

/** A button that sends again what has not arrived to the active subscriptions: how many that is, the dialog asks the service. */
export function RetryFailed(props: {
  active: readonly Webhook[];
  since: string | undefined;
  sent: (sending: Sending) => void;
}): VNode {
  const { active, since, sent } = props;
  const [asking, setAsking] = useState(false);
  return (
    <>
      <button type="button" class="primary" onClick={() => setAsking(true)}>
        Resend what has not arrived…
      </button>
      {asking && <Resend active={active} since={since} sent={sent} close={() => setAsking(false)} />}
    </>
  );
}

const CHOICES = [
  ['undelivered', 'What has not arrived'],
  ['missed', 'While it was disabled'],
  ['all', 'All'],
] as const;
type Choice = (typeof CHOICES)[number][0];

/** What of it is sent, in words. */
const MEANINGS: Readonly<Record<Choice, string>> = {
  undelivered:
    'Deliveries that were given up, and those that wait for a retry, are sent now with the same bytes and identifiers, in order of occurrence and behind new ones.',
  all: 'All deliveries, also those that arrived, are sent now with the same bytes and identifiers, in order of occurrence and behind new ones.',
  missed:
    'What occurred while it was disabled is sent, in order of occurrence and behind new ones. What it has a delivery of already is not sent again.',
};

/** Since when, in words; before all of them is the beginning of what the view shows, where it has one. */
const BEGINNINGS = [
  ['kept', 'All of 30 days'],
  ['hour', 'Last hour'],
  ['day', 'Last day'],
  ['time', 'Another time…'],
] as const;
const AGO_MS: Readonly<Record<string, number>> = { kept: KEPT_MS, hour: HOUR_MS, day: 24 * HOUR_MS };

/** Asks what is to be sent again, says how many deliveries that is, and queues them once that is confirmed. */
export function Resend(props: {
  active: readonly Webhook[];
  since: string | undefined;
  /** What is chosen at first. */
  begin?: Choice;
  sent: (sending: Sending) => void;
  close: () => void;
}): VNode {
  const { active, sent, close } = props;
  const [beginning, setBeginning] = useState(props.since === undefined ? 'kept' : 'shown');
  const [since, setSince] = useState(props.since ?? ago('kept'));
  const begin = (chosen: string) => {
    setBeginning(chosen);
    if (chosen === 'shown') setSince(props.since!);
    else if (chosen !== 'time') setSince(ago(chosen));
  };
  const [what, setWhat] = useState<Choice>(props.begin ?? 'undelivered');
  const [begun, setBegun] = useState<readonly string[]>([]);
  const ask = (id: string, dryRun: boolean, signal?: AbortSignal) =>
    call('redeliverMany', {
      params: { id },
      body: { since, status: what === 'all' ? what : 'undelivered', dryRun },
      ...(signal && { signal }),
    });
  const { value, error, reload } = useResource(
    since === '' ? undefined : `${what} ${since}`,
    async (signal) => {
      const found = [];
      for (const { id, url } of active) {
        if (what !== 'missed') {
          found.push({ id, url, n: (await ask(id, true, signal)).matched, waits: 0 });
          continue;
        }
        const query = { from: since };
        const { pending: waits = 0, missed } = await call('getWebhook', { params: { id }, query, signal });
        found.push({ id, url, n: (missed?.outcomes ?? 0) - (missed?.erased ?? 0), waits });
      }
      return found;
    },
  );
  const some = (value ?? []).filter(({ n }) => n > 0);
  const all = some.reduce((sum, { n }) => sum + n, 0);
  const run = async () => {
    if (since === '') throw new Error('Choose a date and a time.');
    let ids = begun;
    const at = new Date().toISOString();
    for (const { id } of some) {
      // A second try goes on behind what a refusal did not let through.
      if (ids.includes(id)) continue;
      if (what === 'missed') await call('updateWebhook', { params: { id }, body: { from: since } });
      else await ask(id, false);
      ids = [...ids, id];
      setBegun(ids);
    }
    sent({
      what: what === 'missed' ? 'missed' : 'again',
      at,
      // What waits already is among what is sent again.
      to: some.map(({ id, n, waits }) => ({ id, announced: n, waited: what === 'missed' ? waits : 0 })),
    });
  };
  const waiting = (value ?? []).reduce((sum, { waits }) => sum + waits, 0);
  return (
    <Confirm
      title="Send again?"
      verb={all === 0 || what === 'missed' ? 'Send' : `Send ${words(all)}`}
      idle={all === 0}
      hint={
        <span class="note">
          <kbd>Enter</kbd> sends
        </span>
      }
      run={run}
      close={close}
      foot={some
        .slice(0, MOST_COMMANDS)
        .map(({ id, url }) => (
          <Command
            key={id}
            line={
              what === 'missed'
                ? svcCommand('webhooks', 'update', id, '--from', since)
                : svcCommand('webhooks', 'redeliver', id, '--since', since, '--status', what)
            }
            label={`do the same for ${url}`}
          />
        ))}
    >
      {active.length === 1 && (
        <Segments
          label="What is sent"
          options={CHOICES}
          chosen={what}
          choose={(each) => setWhat(each as Choice)}
        />
      )}
      <Segments
        label="Since when"
        options={props.since === undefined ? BEGINNINGS : [['shown', 'As listed'], ...BEGINNINGS]}
        chosen={beginning}
        choose={begin}
      />
      {beginning === 'time' && <Instant label="Since" value={since} set={setSince} />}
      <p>{MEANINGS[what]}</p>
      {error && <Failure error={error} retry={reload} />}
      <div role="status">
        {!value && !error && 'Counting…'}
        {value && (
          <ul>
            {some.map(({ id, url, n }) => (
              <li key={id}>
                {what === 'missed' ? (
                  <>
                    <strong>{counted(n, 'outcome')}</strong> of its kinds occurred for
                  </>
                ) : (
                  <>
                    <strong>{words(n)}</strong> to
                  </>
                )}{' '}
                <Address of={url} />
              </li>
            ))}
            {all === 0 && <li>Nothing is to be sent.</li>}
            {what === 'missed' && waiting > 0 && (
              <li>
                {words(waiting)} that {waiting === 1 ? 'waits' : 'wait'} for an attempt{' '}
                {waiting === 1 ? 'is' : 'are'} sent anyway, each at its time.
              </li>
            )}
          </ul>
        )}
      </div>
    </Confirm>
  );
}

const ago = (beginning: string) => new Date(Date.now() - AGO_MS[beginning]!).toISOString();
