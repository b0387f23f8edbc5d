import type { VNode } from 'preact';

/** A horizontal bar of `value` out of `max`, with its number in words beside it. */
export function Bar(props: { value: number; max: number; label: string; strong?: boolean }): VNode {
  const { value, max, label, strong = false } = props;
  const share = max > 0 ? Math.min(Math.max(value / max, 0), 1) : 0;
  return (
    <span class={strong ? 'bar strong' : 'bar'}>
      <span class="track" aria-hidden="true">
        {share > 0 && <span class="fill" style={{ width: `${share * 100}%` }} />}
      </span>
      <span class="figure">{label}</span>
    </span>
  );
}

/** A bar from a middle line: to the right for more than 0, to the left for less, with its number in words beside it. */
export function SignedBar({ value, max, label }: { value: number; max: number; label: string }): VNode {
  const share = max > 0 ? Math.min(Math.abs(value) / max, 1) : 0;
  return (
    <span class="bar signed">
      <span class="track" aria-hidden="true">
        {share > 0 && <span class={value < 0 ? 'fill less' : 'fill'} style={{ width: `${share * 50}%` }} />}
      </span>
      <span class="figure">{label}</span>
    </span>
  );
}

/** A difference with its interval, about a middle line at 0. It is decoration: the figures stand beside it. */
export function SignedInterval(props: {
  rate: number;
  low: number;
  high: number;
  max: number;
  title: string;
}): VNode {
  const { rate, low, high, max, title } = props;
  const at = (value: number) => `${50 + 50 * Math.min(Math.max(value / max, -1), 1)}%`;
  return (
    <span class="interval signed" aria-hidden="true" title={title}>
      <span class="range" style={{ left: at(low), right: `calc(100% - ${at(high)})` }} />
      <span class="dot" style={{ left: at(rate) }} />
    </span>
  );
}

/** An estimate with its interval, on a scale from `min` to `max` that all rows of a list share. */
export function Interval(props: {
  rate: number;
  low: number;
  high: number;
  min?: number;
  max: number;
  label: string;
}): VNode {
  const { rate, low, high, min = 0, max, label } = props;
  const at = (value: number) =>
    `${max > min ? Math.min(Math.max((value - min) / (max - min), 0), 1) * 100 : 0}%`;
  return (
    <span class="bar">
      <span class={min < 0 ? 'interval about-zero' : 'interval'} aria-hidden="true">
        <span class="range" style={{ left: at(low), right: `calc(100% - ${at(high)})` }} />
        <span class="dot" style={{ left: at(rate) }} />
      </span>
      <span class="figure">{label}</span>
    </span>
  );
}
