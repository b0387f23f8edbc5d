import type { VNode } from 'preact';
import { TimeAxis } from './time-axis.tsx';

/** An estimate at a time (Unix ms), with its interval. */
export interface BandPoint {
  readonly at: number;
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

const WIDTH = 240;
const HEIGHT = 90;

/**
 * An estimate over time: a line in the band of its interval, from `min` to `max`, with a line at 0 where that lies between.
 * `label` says in words what is seen; the figures stand in a table beside it.
 */
export function BandChart(props: {
  label: string;
  points: readonly BandPoint[];
  /** Ends of the axes. */
  from: number;
  until: number;
  min: number;
  max: number;
  format: (value: number) => string;
  /** Its class in the style sheet. */
  colour?: string;
}): VNode {
  const { label, points, from, until, min, max, format, colour = 'c1' } = props;
  const x = (at: number) => (((at - from) / Math.max(1, until - from)) * WIDTH).toFixed(1);
  const y = (value: number) =>
    (HEIGHT * (1 - (Math.min(Math.max(value, min), max) - min) / (max - min))).toFixed(1);
  const line = (of: (point: BandPoint) => number, order: readonly BandPoint[] = points) =>
    order.map((point) => `${x(point.at)},${y(of(point))}`).join('L');
  const [only] = points;
  return (
    <div class="band">
      <span aria-hidden="true">{format(max)}</span>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {min < 0 && max > 0 && <path class="zero" d={`M0,${y(0)}H${WIDTH}`} />}
        {points.length > 1 && (
          <path
            class={`range ${colour}`}
            d={`M${line(({ high }) => high)}L${line(({ low }) => low, [...points].reverse())}Z`}
          />
        )}
        {points.length > 1 && <path class={`mid ${colour}`} d={`M${line(({ value }) => value)}`} />}
        {points.length === 1 && (
          <path
            class={`mid ${colour}`}
            d={`M${x(only!.at)},${y(only!.low)}V${y(only!.high)}M${Number(x(only!.at)) - 4},${y(only!.value)}h8`}
          />
        )}
      </svg>
      <span aria-hidden="true">{format(min)}</span>
      <TimeAxis from={from} until={until} />
    </div>
  );
}
