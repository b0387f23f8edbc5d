import type { VNode } from 'preact';
import type { EventTrend } from '../../data/trends.ts';
import { Chart, Legend } from '../../parts/chart.tsx';
import { compact, count, counted } from '../../parts/numbers.ts';
import { Box } from '../../parts/view.tsx';

const REFUSED = [{ label: 'refused requests', tone: 'second' }] as const;
const sum = (steps: readonly number[]) => steps.reduce((total, n) => total + n, 0);

/** How many events were stored over time, and how many requests with events were refused. */
export function EventBox({
  of: { stored, refused, from, stepMs },
  when,
}: {
  of: EventTrend;
  when: string;
}): VNode {
  const [all, notStored] = [sum(stored), sum(refused)];
  if (all + notStored === 0)
    return (
      <Box title={`No event was stored ${when}`} label="Events stored">
        <p class="note">
          None came, and no request with events was refused. <a href="/live">Live events</a> has the latest
          ones.
        </p>
      </Box>
    );
  const most = Math.max(...stored);
  const seconds = stored.map((_, i) => (Date.parse(from) + i * stepMs) / 1000);
  return (
    <Box
      title={`${counted(all, 'event was', 'events were')} stored ${when}, ${notStored === 0 ? 'and no request was refused' : `and ${counted(notStored, 'request was', 'requests were')} refused`}`}
      label="Events stored"
      note={`a point each ${stepWords(stepMs)}`}
    >
      <Chart
        label={`Events stored each ${stepWords(stepMs)}, at most ${count(most)}`}
        xs={seconds}
        lines={[{ label: 'stored', values: stored, fill: true }]}
        height={140}
        format={compact}
        whole
      />
      {notStored > 0 && (
        <>
          <Legend lines={REFUSED} of="an event was not valid, or not as planned" />
          <Chart
            label={`Requests with events that were refused each ${stepWords(stepMs)}, at most ${count(Math.max(...refused))}`}
            xs={seconds}
            lines={[{ ...REFUSED[0], values: refused }]}
            height={90}
            whole
          />
        </>
      )}
    </Box>
  );
}

/** The length of a step in words: `hour`, `3 hours`, `day`, `week`. */
function stepWords(ms: number): string {
  const hours = ms / 3_600_000;
  return hours === 1 ? 'hour' : hours < 24 ? `${hours} hours` : hours === 24 ? 'day' : 'week';
}
