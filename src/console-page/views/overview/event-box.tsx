import type { VNode } from 'preact';
import type { EventTrend } from '../../data/trends.ts';
import { Chart, Legend } from '../../parts/chart.tsx';
import { clock } from '../../parts/charts/tick-words.ts';
import { compact, count, counted } from '../../parts/numbers.ts';
import { stepWords } from '../../parts/range.tsx';
import { Box } from '../../parts/view.tsx';

const HOUR_MS = 3_600_000;
const REFUSED = [{ label: 'refused requests', tone: 'second' }] as const;
const sum = (steps: readonly number[]) => steps.reduce((total, n) => total + n, 0);

/** How many events were stored over time, and how many requests with events were refused. */
export function EventBox({
  of: { stored, refused, from, until, stepMs, refusedFrom },
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
  const times = stored.map((_, i) => Date.parse(from) + i * stepMs);
  // They are counted by the hour, of which short ranges have too few to be drawn.
  const isShort = stepMs < HOUR_MS;
  const isOver = Date.parse(until) >= times[0]! + stored.length * stepMs;
  const hours = isShort && refusedFrom !== from ? ` since ${clock(Date.parse(refusedFrom))}` : '';
  return (
    <Box
      title={`${counted(all, 'event was', 'events were')} stored ${when}, ${notStored === 0 ? 'and no request with events was refused' : `and ${counted(notStored, 'request', 'requests')} with events ${notStored === 1 ? 'was' : 'were'} refused${hours}`}`}
      label="Events stored"
      note={`a point each ${stepWords(stepMs)}${isOver ? '' : '; the last one is not over yet'}`}
    >
      <Chart
        label={`Events stored each ${stepWords(stepMs)}, at most ${count(most)}`}
        times={times}
        lines={[{ label: 'stored', values: stored, fill: true }]}
        height={114}
        format={compact}
        whole
      />
      {notStored > 0 && !isShort && (
        <>
          <Legend lines={REFUSED} of="an event was not valid, or not as planned" />
          <Chart
            label={`Requests with events that were refused each ${stepWords(stepMs)}, at most ${count(Math.max(...refused))}`}
            times={times}
            lines={[{ ...REFUSED[0], values: refused }]}
            height={64}
            whole
          />
        </>
      )}
    </Box>
  );
}
