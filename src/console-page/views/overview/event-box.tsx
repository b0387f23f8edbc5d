import type { VNode } from 'preact';
import type { EventTrend } from '../../data/trends.ts';
import { Chart } from '../../parts/chart.tsx';
import { compact, count, counted } from '../../parts/numbers.ts';
import { Box } from '../../parts/view.tsx';

/** How many events were stored over time. */
export function EventBox({ of: { stored, from, stepMs }, when }: { of: EventTrend; when: string }): VNode {
  const all = stored.reduce((sum, n) => sum + n, 0);
  const most = Math.max(...stored);
  const seconds = stored.map((_, i) => (Date.parse(from) + i * stepMs) / 1000);
  return (
    <Box
      title={`${counted(all, 'event was', 'events were')} stored ${when}`}
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
    </Box>
  );
}

/** The length of a step in words: `hour`, `3 hours`, `day`, `week`. */
function stepWords(ms: number): string {
  const hours = ms / 3_600_000;
  return hours === 1 ? 'hour' : hours < 24 ? `${hours} hours` : hours === 24 ? 'day' : 'week';
}
