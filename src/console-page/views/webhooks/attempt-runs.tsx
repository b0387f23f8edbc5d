import type { VNode } from 'preact';
import { count, counted } from '../../parts/numbers.ts';
import { Cut, Text } from '../../parts/text.tsx';
import { duration, Time } from '../../parts/time.tsx';
import { Timeline, type TimelineItem } from '../../parts/timeline.tsx';
import { type Attempt, attemptWords, type Delivery, isSuccess } from './webhook-words.ts';

/** Lines that are shown of attempts. */
const MOST = 20;

interface Made {
  readonly delivery: Delivery;
  readonly attempt: Attempt;
}

/** The attempts of the listed deliveries, the latest first: those that follow each other with the same result are one line. */
export function AttemptRuns({
  of,
  open,
}: {
  of: readonly Delivery[];
  open: (deliveryId: string) => void;
}): VNode | null {
  const made = of
    .flatMap((delivery) => delivery.attempts.map((attempt) => ({ delivery, attempt })))
    .sort((a, b) => (a.attempt.at < b.attempt.at ? 1 : -1));
  if (made.length === 0) return null;
  const runs = runsOf(made);
  return (
    <div class="stack">
      <h3>Attempts of the listed deliveries</h3>
      <Timeline label="Latest attempts" items={runs.slice(0, MOST).map((run) => itemOf(run, open))} />
      {runs.length > MOST && (
        <p class="note">{count(runs.length - MOST)} more changes of the result before these.</p>
      )}
    </div>
  );
}

/** Splits attempts where the result changes. */
function runsOf(made: readonly Made[]): Made[][] {
  const runs: Made[][] = [];
  for (const each of made) {
    const last = runs.at(-1);
    if (last && attemptWords(last[0]!.attempt) === attemptWords(each.attempt)) last.push(each);
    else runs.push([each]);
  }
  return runs;
}

function itemOf(run: readonly Made[], open: (deliveryId: string) => void): TimelineItem {
  const [newest, oldest] = [run[0]!, run.at(-1)!];
  const took = run.map(({ attempt }) => attempt.durationMs);
  const [least, most] = [duration(Math.min(...took)), duration(Math.max(...took))];
  const isWell = isSuccess(newest.attempt);
  const deliveries = new Set(run.map(({ delivery }) => delivery.deliveryId)).size;
  return {
    key: `${oldest.delivery.deliveryId} ${oldest.attempt.at}`,
    at: newest.attempt.at,
    icon: isWell ? 'check' : 'warn',
    kind: isWell ? 'arrived' : 'failed',
    title: (
      <>
        <Cut of={attemptWords(newest.attempt)} /> {run.length > 1 && counted(run.length, 'time')}
      </>
    ),
    body: (
      <>
        {run.length > 1 && (
          <>
            since <Time at={oldest.attempt.at} /> · {counted(deliveries, 'delivery', 'deliveries')} ·{' '}
          </>
        )}
        took {least === most ? least : `${least} to ${most}`} · the latest{' '}
        <button type="button" class="row-button" onClick={() => open(newest.delivery.deliveryId)}>
          <Text of={newest.delivery.type} />
        </button>
      </>
    ),
  };
}
