import type { VNode } from 'preact';
import { Figures } from '../figures.tsx';
import { percent } from '../numbers.ts';
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

/** Shares over time, stacked to 100 %, with a legend and the same figures as a table. Times without a value are left out. */
export function StackedChart(props: {
  label: string;
  /** The beginning of the first step, Unix ms. */
  from: number;
  stepMs: number;
  layers: readonly Layer[];
}): VNode {
  const { label, from, stepMs, layers } = props;
  const steps = layers[0]?.values.length ?? 0;
  const totals = Array.from({ length: steps }, (_, i) =>
    layers.reduce((sum, { values }) => sum + (values[i] ?? 0), 0),
  );
  const width = WIDTH / Math.max(1, steps);
  const all = totals.reduce((sum, n) => sum + n, 0);
  const bars = totals.map((total, i) => {
    let top = HEIGHT;
    return layers.map(({ values, colour, name }) => {
      const height = total === 0 ? 0 : ((values[i] ?? 0) / total) * HEIGHT;
      top -= height;
      return { key: `${i} ${name}`, colour, x: i * width, y: top, height };
    });
  });
  return (
    <div class="stacked">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse">
          <path class="hatch" d="M0,6L6,0" />
        </pattern>
        {totals.map(
          (total, i) =>
            total === 0 && (
              <rect class="none" x={i * width + 0.5} y={0} width={Math.max(width - 1, 1)} height={HEIGHT} />
            ),
        )}
        {bars
          .flat()
          .map(
            ({ key, colour, x, y, height }) =>
              height > 0 && (
                <rect
                  key={key}
                  class={colour}
                  x={x + 0.5}
                  y={y}
                  width={Math.max(width - 1, 1)}
                  height={height}
                />
              ),
          )}
      </svg>
      <TimeAxis from={from} until={from + steps * stepMs} />
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
            ...layers.map(({ values }) => (total === 0 ? '–' : values[i])),
          ])
        }
      />
    </div>
  );
}
