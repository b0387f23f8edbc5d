import type { VNode } from 'preact';

const WIDTH = 240;
const HEIGHT = 44;

/** A small chart without axes. `label` says in words what is seen. */
export function Spark({ label, values }: { label: string; values: readonly number[] }): VNode {
  const most = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map(
    (value, i) => `${(i * step).toFixed(1)},${(HEIGHT - 2 - (value / most) * (HEIGHT - 4)).toFixed(1)}`,
  );
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path class="area" d={`M0,${HEIGHT}L${points.join('L')}L${WIDTH},${HEIGHT}Z`} />
      <path class="line" d={`M${points.join('L')}`} />
    </svg>
  );
}
