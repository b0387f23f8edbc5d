import type { VNode } from 'preact';
import { tickWords } from './charts/tick-words.ts';
import { timeTicks, valueTicks } from './charts/ticks.ts';
import { Figures } from './figures.tsx';
import { count } from './numbers.ts';
import { Time } from './time.tsx';

export interface Line {
  readonly label: string;
  /** One for each time; null leaves a gap. */
  readonly values: readonly (number | null)[];
  /** `accent` by default; `second` is dashed. */
  readonly tone?: 'accent' | 'second';
  /** Fills the area below. */
  readonly fill?: boolean;
}

const WIDTH = 720;
/** Room above the largest value. */
const ROOM = 1.05;

/** Lines from 0 over rising times (Unix ms). `label` says in words what is seen, for those who do not see it. */
export function Chart(props: {
  label: string;
  times: readonly number[];
  lines: readonly Line[];
  /** In pixels, without the names of the times. */
  height?: number;
  format?: (value: number) => string;
  /** True for counts: the axis names no fractions. */
  whole?: boolean;
}): VNode {
  const { label, times, lines, height = 154, format = count, whole = false } = props;
  const most = Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const top = (most || 1) * ROOM;
  const from = times[0] ?? 0;
  const until = times.at(-1) ?? 0;
  /** Where a time and a value are, as shares of the width and the height. */
  const along = (at: number) => (at - from) / Math.max(1, until - from);
  const up = (value: number) => value / top;
  const y = (value: number) => (height * (1 - up(value))).toFixed(1);
  const values = valueTicks(top, whole ? 1 : 0);
  const marks = times.length > 1 ? timeTicks(from, until) : [...times];
  const words = marks.length > 0 ? tickWords(marks) : [];
  return (
    <>
      <div class="chart" style={{ height: `${height}px` }}>
        <svg viewBox={`0 0 ${WIDTH} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
          <path class="grid" d={values.map((value) => `M0,${y(value)}H${WIDTH}`).join('')} />
          {lines.map(({ values: own, tone = 'accent', fill }) => {
            const runs = runsOf(own.map((value, i) => [times[i]!, value]));
            const paths = runs.map((run) =>
              run.map(([at, value]) => `${(along(at) * WIDTH).toFixed(1)},${y(value)}`),
            );
            return (
              <>
                {fill &&
                  paths.map((points) => {
                    const [start, end] = [points[0]!, points.at(-1)!].map((point) => point.split(',')[0]);
                    return (
                      <path class="area" d={`M${start},${height}L${points.join('L')}L${end},${height}Z`} />
                    );
                  })}
                {/* A point alone is a line without a length, with round ends. */}
                <path
                  class={tone}
                  d={paths.map((points) => `M${points.join('L')}${points[1] ? '' : 'h0'}`).join('')}
                />
              </>
            );
          })}
        </svg>
        <div aria-hidden="true">
          {values.map((value) => (
            <span key={value} class="value" style={{ bottom: `${up(value) * 100}%` }}>
              {format(value)}
            </span>
          ))}
        </div>
        <div aria-hidden="true">
          {marks.map((at, i) => (
            <span class="time" style={{ left: `${along(at) * 100}%` }}>
              {words[i]}
            </span>
          ))}
        </div>
      </div>
      <Figures
        label={label}
        heads={['Time', ...lines.map((line) => line.label)]}
        rows={() =>
          times.map((at, i) => [
            <Time at={at} />,
            ...lines.map(({ values: own }) => {
              const value = own[i] ?? null;
              return value === null ? '–' : format(value);
            }),
          ])
        }
      />
    </>
  );
}

/** The points between gaps. */
function runsOf(points: readonly (readonly [number, number | null])[]): [number, number][][] {
  const runs: [number, number][][] = [[]];
  for (const [at, value] of points)
    if (value === null) runs.push([]);
    else runs.at(-1)!.push([at, value]);
  return runs.filter((run) => run.length > 0);
}

/** Says which line is which, and what all of them show. */
export function Legend({
  lines,
  of,
}: {
  lines: readonly Pick<Line, 'label' | 'tone'>[];
  of?: string;
}): VNode {
  return (
    <ul class="legend">
      {of !== undefined && <li class="note">{of}</li>}
      {lines.map(({ label, tone = 'accent' }) => (
        <li>
          <span class={`stroke ${tone}`} aria-hidden="true" />
          {label}
        </li>
      ))}
    </ul>
  );
}
