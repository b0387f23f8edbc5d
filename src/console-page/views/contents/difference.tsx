import type { VNode } from 'preact';
import { Interval } from '../../parts/bars.tsx';
import { points } from '../../parts/numbers.ts';

/** What learning earns more than an even choice, with the interval on which the title rests, about a middle line at 0. */
export function Difference(props: { rate: number; low: number; high: number }): VNode {
  const { rate, low, high } = props;
  const most = Math.max(Math.abs(low), Math.abs(high));
  return (
    <div>
      <dt>
        Difference <span class="note">learned less held out; the line in the middle is 0</span>
      </dt>
      <dd>
        <Interval rate={rate} low={low} high={high} min={-most} max={most} label={points(rate)} />
      </dd>
    </div>
  );
}

/** What the interval of the difference says. */
export const differenceWords = (low: number, high: number): string =>
  `Difference in percentage points, 95 % interval ${points(low)} to ${points(high)}: ${
    low > 0 || high < 0 ? '0 is outside' : '0 is inside'
  }.`;
