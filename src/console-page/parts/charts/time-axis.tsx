import type { VNode } from 'preact';

const CLOCK_MS = 36 * 3_600_000;

/** The beginning, the middle and the end of a chart over time (Unix ms): times of day, or days where it is long. */
export function TimeAxis({ from, until }: { from: number; until: number }): VNode {
  const words = (at: number) =>
    until - from <= CLOCK_MS
      ? new Date(at).toLocaleTimeString('en-GB').slice(0, 5)
      : new Date(at).toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric', month: 'short' });
  return (
    <p class="histogram-axis" aria-hidden="true">
      <span>{words(from)}</span>
      <span>{words((from + until) / 2)}</span>
      <span>{words(until)}</span>
    </p>
  );
}
