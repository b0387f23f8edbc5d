import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { tickWords } from './charts/tick-words.ts';
import { Figures } from './figures.tsx';
import { count } from './numbers.ts';
import { Time } from './time.tsx';

export interface Line {
  readonly label: string;
  readonly values: readonly (number | null)[];
  /** `accent` by default; `second` is dashed. */
  readonly tone?: 'accent' | 'second';
  /** Fills the area below. */
  readonly fill?: boolean;
}

/**
 * Lines over a common axis, drawn on a canvas. `xs` rises; times are seconds since 1970. `label` says in words what is
 * seen, for those who do not see it. It is drawn again when the width or the colour scheme changes.
 */
export function Chart(props: {
  label: string;
  xs: readonly number[];
  lines: readonly Line[];
  height?: number;
  time?: boolean;
  format?: (value: number) => string;
  /** True for counts: the axis names no fractions. */
  whole?: boolean;
}): VNode {
  const { label, xs, lines, height = 180, time = true, format, whole = false } = props;
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const [scheme, setScheme] = useState(0);
  const data = [xs, ...lines.map(({ values }) => values)] as unknown as uPlot.AlignedData;
  const shape = lines.map((line) => `${line.label} ${line.tone} ${line.fill}`).join('|');

  useEffect(() => {
    const element = place.current!;
    const colours = getComputedStyle(element);
    const colour = (name: string) => colours.getPropertyValue(name);
    const axis = {
      stroke: colour('--canvas-muted'),
      font: '12px system-ui, sans-serif',
      grid: { stroke: colour('--canvas-line'), width: 1 },
      ticks: { show: false },
    };
    plot.current = new uPlot(
      {
        width: element.clientWidth,
        height,
        legend: { show: false },
        cursor: { show: false },
        // Half of the last label of an axis of time.
        ...(time ? { padding: [null, 36, null, null] as uPlot.Padding } : {}),
        scales: { x: { time }, y: { range: (_, __, max) => [0, max > 0 ? max * 1.05 : 1] } },
        axes: [
          {
            ...axis,
            grid: { show: false },
            size: 26,
            values: (_, ticks) =>
              time ? tickWords(ticks.map((seconds) => seconds * 1000)) : ticks.map(count),
            ...(time ? { space: 84 } : {}),
          },
          {
            ...axis,
            size: 48,
            ...(whole ? { incrs: WHOLE } : {}),
            ...(format ? { values: (_: uPlot, ticks: number[]) => ticks.map(format) } : {}),
          },
        ],
        series: [
          {},
          ...lines.map(({ label: name, tone = 'accent', fill }) => ({
            label: name,
            stroke: colour(tone === 'accent' ? '--canvas-accent' : '--canvas-second'),
            width: 2,
            points: { show: false },
            ...(tone === 'second' ? { dash: [6, 4] } : {}),
            ...(fill ? { fill: colour('--canvas-fill') } : {}),
          })),
        ],
      },
      data,
      element,
    );
    const resized = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      plot.current?.destroy();
    };
  }, [height, time, shape, scheme, whole]);

  useEffect(() => plot.current?.setData(data));

  useEffect(() => {
    const again = () => setScheme((n) => n + 1);
    const media = matchMedia('(prefers-color-scheme: dark)');
    const observer = new MutationObserver(again);
    media.addEventListener('change', again);
    observer.observe(document.documentElement, { attributeFilter: ['data-scheme'] });
    return () => {
      media.removeEventListener('change', again);
      observer.disconnect();
    };
  }, []);

  return (
    <>
      <div class="chart" ref={place} role="img" aria-label={label} style={{ height: `${height}px` }} />
      <Figures
        label={label}
        heads={[time ? 'Time' : 'Point', ...lines.map((line) => line.label)]}
        rows={() =>
          xs.map((x, i) => [
            time ? <Time at={x * 1000} /> : x.toLocaleString('en-US'),
            ...lines.map(({ values }) => {
              const value = values[i] ?? null;
              return value === null ? '–' : (format ?? count)(value);
            }),
          ])
        }
      />
    </>
  );
}

/** Steps of an axis of counts. */
const WHOLE = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((n) => n * 10 ** power)).flat();

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
