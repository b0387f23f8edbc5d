import type { VNode } from 'preact';
import { Figures } from '../figures.tsx';
import { count, percent } from '../numbers.ts';
import { Cut } from '../text.tsx';
import { Time } from '../time.tsx';
import { TimeAxis } from './time-axis.tsx';

export interface Layer {
  readonly name: string;
  /** Its class in the style sheet. */
  readonly colour: string;
  readonly values: readonly number[];
}

const WIDTH = 720;
const HEIGHT = 200;
/** What is drawn over a colour that comes again. */
const MARKS = [
  ['m2', 'M0,6L6,0'],
  ['m3', 'M0,3H6'],
  ['m4', 'M3,0V6'],
] as const;

/** Shares over time, stacked to 100 %, with a legend and the same figures as a table. Times without a value are left out. */
export function StackedChart(props: {
  label: string;
  /** The beginning of the first step, Unix ms. */
  from: number;
  stepMs: number;
  /** The end of the chart, which the last step may not have reached. */
  until: number;
  layers: readonly Layer[];
}): VNode {
  const { label, from, stepMs, until, layers } = props;
  const steps = layers[0]?.values.length ?? 0;
  const totals = Array.from({ length: steps }, (_, i) =>
    layers.reduce((sum, { values }) => sum + (values[i] ?? 0), 0),
  );
  const x = (step: number) => Math.min(1, (step * stepMs) / Math.max(1, until - from)) * WIDTH;
  const place = (step: number) => ({ x: x(step) + 0.5, width: Math.max(x(step + 1) - x(step) - 1, 1) });
  const all = totals.reduce((sum, n) => sum + n, 0);
  const bars = totals.map((total, i) => {
    let top = HEIGHT;
    return layers.map(({ values, colour, name }) => {
      const height = total === 0 ? 0 : ((values[i] ?? 0) / total) * HEIGHT;
      top -= height;
      return { key: `${i} ${name}`, colour, ...place(i), y: top, height };
    });
  });
  return (
    <div class="stacked">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse">
          <path class="hatch" d="M0,6L6,0" />
        </pattern>
        <g class="marks">
          {MARKS.map(([id, d]) => (
            <pattern key={id} id={id} width="6" height="6" patternUnits="userSpaceOnUse">
              <path d={d} />
            </pattern>
          ))}
        </g>
        {totals.map((total, i) => total === 0 && <rect class="none" {...place(i)} y={0} height={HEIGHT} />)}
        {bars.flat().map(({ key, colour, height, ...rest }) => {
          const [, mark] = colour.split(' ');
          return (
            height > 0 &&
            [colour, ...(mark ? [`over ${mark}`] : [])].map((each) => (
              <rect key={`${key} ${each}`} class={each} height={height} {...rest} />
            ))
          );
        })}
      </svg>
      <TimeAxis from={from} until={until} />
      <ul class="legend">
        {layers.map(({ name, colour, values }) => (
          <li>
            <span class={`swatch ${colour}`} aria-hidden="true" />
            <Cut of={name} />{' '}
            <span class="note">{percent(all === 0 ? 0 : values.reduce((sum, n) => sum + n, 0) / all)}</span>
          </li>
        ))}
        {totals.includes(0) && (
          <li>
            <span class="swatch none" aria-hidden="true" />
            none at that time
          </li>
        )}
      </ul>
      <Figures
        label={label}
        heads={['From', ...layers.map(({ name }) => <Cut of={name} />)]}
        rows={() =>
          totals.map((total, i) => [
            <Time at={from + i * stepMs} />,
            ...layers.map(({ values }) => (total === 0 ? '–' : count(values[i]!))),
          ])
        }
      />
    </div>
  );
}
