import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { svcCommand } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { Command } from '../../parts/command.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { counted } from '../../parts/numbers.ts';

const HOUR_MS = 3_600_000;
/** How far back, by what the choice is called. */
const SPANS = {
  '1h': ['the last hour', HOUR_MS],
  '24h': ['the last day', 24 * HOUR_MS],
  '7d': ['the last 7 days', 7 * 24 * HOUR_MS],
  '30d': ['the last 30 days', 30 * 24 * HOUR_MS],
} as const;
type Span = keyof typeof SPANS;

/** Sends all deliveries of a subscription that failed again: the service queues them, after their number is confirmed. */
export function RedeliverFailed({ webhookId, done }: { webhookId: string; done: () => void }): VNode {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        Deliver what failed again
      </button>
      {asking && <Ask webhookId={webhookId} done={done} close={() => setAsking(false)} />}
    </>
  );
}

function Ask({ webhookId, done, close }: { webhookId: string; done: () => void; close: () => void }): VNode {
  const [span, setSpan] = useState<Span>('24h');
  const [since] = useState(() => Date.now());
  const [matched, setMatched] = useState<number>();
  const [problem, setProblem] = useState<string>();
  const start = new Date(since - SPANS[span][1]).toISOString();
  const send = (dryRun: boolean) =>
    call('redeliverMany', { params: { id: webhookId }, body: { since: start, dryRun } });
  useEffect(() => {
    let current = true;
    setMatched(undefined);
    setProblem(undefined);
    send(true).then(
      (answer) => current && setMatched(answer.matched),
      (error: Error) => current && setProblem(error.message),
    );
    return () => {
      current = false;
    };
  }, [span]);
  const run = async () => {
    await send(false);
    done();
  };
  return (
    <Confirm title="Deliver what failed again?" verb="Deliver again" run={run} close={close}>
      <p>
        <label>
          Failed in{' '}
          <select value={span} onChange={(event) => setSpan(event.currentTarget.value as Span)}>
            {Object.entries(SPANS).map(([value, [words]]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
      </p>
      <p role="status">
        {problem ?? (matched === undefined ? 'Counting…' : counted(matched, 'delivery', 'deliveries'))}
      </p>
      <p>They are sent in order of occurrence, behind new ones, with the same bytes and identifiers.</p>
      <Command line={svcCommand('webhooks', 'redeliver', webhookId, '--since', span)} label="do the same" />
    </Confirm>
  );
}
