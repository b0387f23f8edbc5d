import type { VNode } from 'preact';
import { tickWords } from './tick-words.ts';
import { timeTicks } from './ticks.ts';

/** Shares of the width beside which a name has room. */
const ROOM = 0.25;

/** The beginning and the end of a chart over time (Unix ms), and a round time about its middle. */
export function TimeAxis({ from, until }: { from: number; until: number }): VNode {
  const along = (at: number) => (at - from) / (until - from);
  const off = (at: number) => Math.abs(along(at) - 0.5);
  const round = timeTicks(from, until)
    .filter((at) => off(at) < 0.5 - ROOM)
    .sort((a, b) => off(a) - off(b))
    .slice(0, 1);
  const [first, ...words] = tickWords([from, ...round, until]);
  return (
    <p class="histogram-axis" aria-hidden="true">
      <span>{first}</span>
      {round.map((at, i) => (
        <span class="between" style={{ left: `${along(at) * 100}%` }}>
          {words[i]}
        </span>
      ))}
      <span>{words.at(-1)}</span>
    </p>
  );
}
