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
import { Cut } from '../../parts/text.tsx';
import type { Sending } from './progress.tsx';
import type { Webhook } from './webhook-words.ts';

/** How long deliveries are kept. */
const KEPT_MS = 30 * 86_400_000;
/** Subscriptions whose commands are shown. */
const MOST_COMMANDS = 2;

const words = (n: number) => counted(n, 'delivery', 'deliveries');

/** A button that sends again what did not arrive, of the active subscriptions that are listed; it says how many that is. */
export function RetryFailed(props: {
  webhooks: readonly Webhook[];
  webhookId: string | undefined;
  since: string | undefined;
  /** When the deliveries were read: what failed is counted again then. */
  readAt: number | undefined;
  sent: (sending: Sending) => void;
}): VNode | null {
  const { webhooks, webhookId, since, readAt, sent } = props;
  const [asking, setAsking] = useState(false);
  const active = webhooks.filter(({ id, status }) => status === 'active' && (!webhookId || id === webhookId));
  // What was counted stays until it is counted again.
  const [last, setLast] = useState<{ readonly n: number; readonly more: boolean }>();
  useResource(readAt === undefined ? undefined : `${webhookId} ${readAt}`, async (signal) => {
    const query = { status: 'failed', since };
    const { deliveries, next } = webhookId
      ? await call('listDeliveries', { params: { id: webhookId }, query, signal })
      : await call('listAllDeliveries', { query, signal });
    const ids = new Set(active.map(({ id }) => id));
    setLast({ n: deliveries.filter((each) => ids.has(each.webhookId)).length, more: Boolean(next) });
  });
  return (
    <>
      {last !== undefined && (last.n > 0 || last.more) && (
        <button type="button" onClick={() => setAsking(true)}>
          Retry {count(last.n)}
          {last.more && '+'} that did not arrive…
        </button>
      )}
      {asking && <Resend active={active} since={since} sent={sent} close={() => setAsking(false)} />}
    </>
  );
}

const CHOICES = [
  ['failed', 'What was given up'],
  ['missed', 'What it missed'],
  ['all', 'All'],
] as const;

/** What of it is sent, in words. */
const MEANINGS: Readonly<Record<string, string>> = {
  failed:
    'Deliveries that were given up are sent once more with the same bytes and identifiers, in order of occurrence and behind new ones.',
  all: 'All deliveries, also those that arrived, are sent once more with the same bytes and identifiers, in order of occurrence and behind new ones.',
  missed:
    'What occurred while it was not active is sent, in order of occurrence and behind new ones. What it has a delivery of already is not sent again.',
};

/** Asks what is to be sent again, says how many deliveries that is, and queues them once that is confirmed. */
export function Resend(props: {
  active: readonly Webhook[];
  since: string | undefined;
  sent: (sending: Sending) => void;
  close: () => void;
}): VNode {
  const { active, sent, close } = props;
  const [since, setSince] = useState(props.since ?? new Date(Date.now() - KEPT_MS).toISOString());
  const [what, setWhat] = useState('failed');
  const [begun, setBegun] = useState<readonly string[]>([]);
  const ask = (id: string, dryRun: boolean, signal?: AbortSignal) => {
    const status = what === 'all' ? ('all' as const) : ('failed' as const);
    return call('redeliverMany', {
      params: { id },
      body: { since, status, dryRun },
      ...(signal && { signal }),
    });
  };
  const { value, error, reload } = useResource(
    since === '' ? undefined : `${what} ${since}`,
    async (signal) => {
      const found = [];
      for (const { id, url } of active) {
        const query = what === 'missed' ? { from: since } : {};
        const { pending: waits = 0, missed } = await call('getWebhook', { params: { id }, query, signal });
        const n =
          what === 'missed'
            ? (missed?.outcomes ?? 0) - (missed?.erased ?? 0)
            : (await ask(id, true, signal)).matched;
        found.push({ id, url, n, waits });
      }
      return found.filter(({ n }) => n > 0);
    },
  );
  const all = (value ?? []).reduce((sum, { n }) => sum + n, 0);
  const run = async () => {
    if (since === '') throw new Error('Choose a date and a time.');
    let ids = begun;
    const at = new Date().toISOString();
    for (const { id } of value ?? []) {
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
      to: (value ?? []).map(({ id, n, waits }) => ({ id, announced: n, waited: waits })),
    });
  };
  const waiting = (value ?? []).reduce((sum, { waits }) => sum + waits, 0);
  return (
    <Confirm
      title="Send again?"
      verb={!value || what === 'missed' ? 'Send' : `Send ${words(all)}`}
      run={run}
      close={close}
    >
      {active.length === 1 && (
        <Segments label="What is sent" options={CHOICES} chosen={what} choose={setWhat} />
      )}
      <Instant label="Since" value={since} set={setSince} />
      <p>{MEANINGS[what]}</p>
      {error && <Failure error={error} retry={reload} />}
      <div role="status">
        {!value && !error && 'Counting…'}
        {value && (
          <ul>
            {value.map(({ id, url, n }) => (
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
                <Cut of={url} />
              </li>
            ))}
            {value.length === 0 && <li>Nothing is to be sent.</li>}
            {waiting > 0 && <li>{words(waiting)} that wait for an attempt are sent anyway.</li>}
          </ul>
        )}
      </div>
      {value?.slice(0, MOST_COMMANDS).map(({ id, url }) => (
        <Command
          key={id}
          line={
            what === 'missed'
              ? svcCommand('webhooks', 'update', id, '--from', since)
              : svcCommand(
                  'webhooks',
                  'redeliver',
                  id,
                  '--since',
                  since,
                  ...(what === 'all' ? ['--status', 'all'] : []),
                )
          }
          label={`do the same for ${url}`}
        />
      ))}
    </Confirm>
  );
}
