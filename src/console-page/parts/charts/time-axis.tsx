import type { VNode } from 'preact';
import { tickWords } from './tick-words.ts';

/** The beginning, the middle and the end of a chart over time (Unix ms). */
export function TimeAxis({ from, until }: { from: number; until: number }): VNode {
  return (
    <p class="histogram-axis" aria-hidden="true">
      {tickWords([from, (from + until) / 2, until]).map((words) => (
        <span>{words}</span>
      ))}
    </p>
  );
}
