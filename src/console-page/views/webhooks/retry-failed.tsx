import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { svcCommand } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { useResource } from '../../data/resource.ts';
import { Command } from '../../parts/command.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { count, counted } from '../../parts/numbers.ts';
import { Failure } from '../../parts/states.tsx';
import { Cut } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { Progress } from './progress.tsx';
import type { Webhook } from './webhook-words.ts';

/** How long deliveries are kept. */
const KEPT_MS = 30 * 86_400_000;
/** Subscriptions whose commands are shown. */
const MOST_COMMANDS = 2;

const words = (n: number) => counted(n, 'delivery', 'deliveries');

/**
 * Sends what did not arrive again, of all active subscriptions that are listed: the service queues it, after its number is
 * confirmed, and the page says how far it is. `webhookId` is the one subscription that the view shows; `since` the beginning of its range.
 */
export function RetryFailed(props: {
  webhooks: readonly Webhook[];
  webhookId: string | undefined;
  since: string | undefined;
  /** When the deliveries were read: what failed is counted again then. */
  readAt: number | undefined;
  done: () => void;
}): VNode | null {
  const { webhooks, webhookId, since, readAt, done } = props;
  const [asking, setAsking] = useState<string>();
  const [sending, setSending] = useState<readonly string[]>([]);
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
      {last !== undefined && (last.n > 0 || last.more) && sending.length === 0 && (
        <button
          type="button"
          onClick={() => setAsking(since ?? new Date(Date.now() - KEPT_MS).toISOString())}
        >
          Retry {count(last.n)}
          {last.more && '+'} that did not arrive…
        </button>
      )}
      {sending.length > 0 && (
        <Progress
          ids={sending}
          ended={() => {
            setSending([]);
            setLast(undefined);
            done();
          }}
        />
      )}
      {asking && (
        <Ask
          active={active}
          since={asking}
          sent={(ids) => setSending(ids)}
          close={() => setAsking(undefined)}
        />
      )}
    </>
  );
}

function Ask(props: {
  active: readonly Webhook[];
  since: string;
  sent: (ids: readonly string[]) => void;
  close: () => void;
}): VNode {
  const { active, since, sent, close } = props;
  const [begun, setBegun] = useState<readonly string[]>([]);
  const send = (id: string, dryRun: boolean, signal?: AbortSignal) =>
    call('redeliverMany', { params: { id }, body: { since, dryRun }, ...(signal && { signal }) });
  const { value, error, reload } = useResource(since, async (signal) => {
    const found = [];
    for (const { id, url } of active) found.push({ id, url, n: (await send(id, true, signal)).matched });
    return found.filter(({ n }) => n > 0);
  });
  const all = (value ?? []).reduce((sum, { n }) => sum + n, 0);
  const run = async () => {
    let ids = begun;
    for (const { id } of value ?? []) {
      // A second try goes on behind what a refusal did not let through.
      if (ids.includes(id)) continue;
      await send(id, false);
      ids = [...ids, id];
      setBegun(ids);
    }
    sent(ids);
  };
  return (
    <Confirm
      title="Retry what did not arrive?"
      verb={value ? `Retry ${words(all)}` : 'Retry'}
      run={run}
      close={close}
    >
      <p>
        Deliveries that were given up since <Time at={since} /> are sent once more with the same bytes and
        identifiers, in order of occurrence and behind new ones. Those that are pending are retried anyway.
      </p>
      {error && <Failure error={error} retry={reload} />}
      <div role="status">
        {!value && !error && 'Counting…'}
        {value && (
          <ul>
            {value.map(({ id, url, n }) => (
              <li key={id}>
                <strong>{words(n)}</strong> to <Cut of={url} />
              </li>
            ))}
            {value.length === 0 && <li>Nothing is to be retried.</li>}
          </ul>
        )}
      </div>
      {value?.slice(0, MOST_COMMANDS).map(({ id, url }) => (
        <Command
          key={id}
          line={svcCommand('webhooks', 'redeliver', id, '--since', since)}
          label={`do the same for ${url}`}
        />
      ))}
    </Confirm>
  );
}
