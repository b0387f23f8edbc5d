import type { VNode } from 'preact';
import type { DecisionTrend } from '../../data/trends.ts';
import { BandChart } from '../../parts/charts/band-chart.tsx';
import { colourOf } from '../../parts/content-colours.ts';
import { Figures } from '../../parts/figures.tsx';
import { count, percent } from '../../parts/numbers.ts';
import { Cut, cleaned } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { Box } from '../../parts/view.tsx';
import { points } from './model-boxes.tsx';

type Content = DecisionTrend['contents'][number];
interface Props {
  readonly of: DecisionTrend;
  /** The range in words. */
  readonly when: string;
}

/** What the most served contents earn over time, each with the band of its interval on one scale. */
export function RatesOverTime({ of: { contents, from, until }, when }: Props): VNode | null {
  const shown = contents.filter(({ rates }) => rates.length > 0);
  if (shown.length === 0) return null;
  const max = Math.min(1, Math.max(...shown.flatMap(({ rates }) => rates.map(({ high }) => high))));
  return (
    <Box
      title={<RatesTitle contents={shown} when={when} />}
      label="Rates over time"
      note="rewarded of those served, of the contents that were served most; the band is the 95 % interval"
    >
      <ul class="multiples">
        {shown.map(({ contentId, total, rates }) => (
          <li>
            <p>
              <span class={`swatch ${colourOf(contentId)}`} aria-hidden="true" />
              <Cut of={contentId} /> <strong>{total && percent(total.rate)}</strong>{' '}
              <span class="note">{total && `${percent(total.low)} to ${percent(total.high)}`}</span>
            </p>
            <BandChart
              label={`Rate of ${cleaned(contentId)} over ${rates.length} points, ${total ? percent(total.rate) : 'unknown'} in all`}
              points={rates.map((point) => ({ ...point, at: Date.parse(point.from), value: point.rate }))}
              from={Date.parse(from)}
              until={Date.parse(until)}
              min={0}
              max={max}
              format={percent}
              colour={colourOf(contentId)}
            />
          </li>
        ))}
      </ul>
      <Figures
        label="Rates over time"
        heads={['Content', 'From', 'Served', 'Rate', 'Interval']}
        rows={() =>
          shown.flatMap(({ contentId, rates }) =>
            rates.map((point) => [
              <Cut of={contentId} />,
              <Time at={point.from} />,
              count(point.served),
              percent(point.rate),
              `${percent(point.low)} to ${percent(point.high)}`,
            ]),
          )
        }
      />
    </Box>
  );
}

/** Which content earns most, if that is certain. */
function RatesTitle({ contents, when }: { contents: readonly Content[]; when: string }): VNode {
  const [best, second] = contents
    .flatMap(({ contentId, total }) => (total ? [{ contentId, ...total }] : []))
    .sort((a, b) => b.rate - a.rate);
  if (!best) return <>Nothing was earned {when}</>;
  const isAhead = contents.every(
    ({ contentId, total }) => contentId === best.contentId || !total || total.high < best.low,
  );
  return (
    <>
      <Cut of={best.contentId} />{' '}
      {isAhead ? (
        <>
          earned most {when}: {percent(best.rate)} of its messages were rewarded
        </>
      ) : (
        <>
          is ahead {when} with {percent(best.rate)}, but not for certain: <Cut of={second!.contentId} /> has{' '}
          {percent(second!.rate)}
        </>
      )}
    </>
  );
}

/** What learning gained over the holdout group until each time, with the interval that may be looked at at any time. */
export function GainOverTime({ of: { gain, from, until }, when }: Props): VNode {
  const last = gain.at(-1);
  if (!last)
    return (
      <Box title={`What learning gained ${when} is not known`} label="Gain over time">
        <p class="note">It is known once decisions of both groups were served.</p>
      </Box>
    );
  // Wide intervals of the first decisions would flatten all that is known later.
  const size = Math.min(1, Math.max(2 * (last.high - last.low), 2 * Math.abs(last.gain)));
  const title =
    last.low > 0
      ? `Learning earned ${points(last.gain)} points over the holdout ${when}, and that is certain`
      : last.high < 0
        ? `Learning earned ${points(last.gain)} points ${when}: less than the holdout`
        : `What learning gained ${when} is not certain yet: ${points(last.gain)} points`;
  return (
    <Box
      title={title}
      label="Gain over time"
      note={`rate of ${count(last.learned)} learned choices less that of ${count(last.holdout)} in the holdout group; the band holds with 95 %, however often you look`}
    >
      <BandChart
        label={`Gain over the holdout group until each of ${gain.length} times, at last ${points(last.gain)} points, from ${points(last.low)} to ${points(last.high)}`}
        points={gain.map((point) => ({ ...point, at: Date.parse(point.until), value: point.gain }))}
        from={Date.parse(from)}
        until={Date.parse(until)}
        min={-size}
        max={size}
        format={points}
      />
      <Figures
        label="Gain over time"
        heads={['Until', 'Learned', 'Holdout', 'Gain in points', 'Interval']}
        rows={() =>
          gain.map((point) => [
            <Time at={point.until} />,
            count(point.learned),
            count(point.holdout),
            points(point.gain),
            `${points(point.low)} to ${points(point.high)}`,
          ])
        }
      />
    </Box>
  );
}
