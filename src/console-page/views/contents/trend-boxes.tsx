import type { ComponentChildren, VNode } from 'preact';
import type { DecisionTrend } from '../../data/trends.ts';
import { BandChart } from '../../parts/charts/band-chart.tsx';
import { BandMultiples, BestContent } from '../../parts/charts/band-multiples.tsx';
import { Figures } from '../../parts/figures.tsx';
import { count, percent } from '../../parts/numbers.ts';
import { Cut, cleaned } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { Box } from '../../parts/view.tsx';
import { share } from './goal-boxes.tsx';
import { points } from './model-boxes.tsx';

interface Props {
  readonly of: DecisionTrend;
  /** The range in words. */
  readonly when: string;
}

/** What the most served contents earn over time. */
export function RatesOverTime({ of: { contents, from, until }, when }: Props): VNode | null {
  return (
    <BandMultiples
      contents={contents.map(({ contentId, total, rates }) => ({
        contentId,
        total: total && { ...total, value: total.rate },
        points: rates.map((point) => ({ ...point, value: point.rate })),
      }))}
      label="Rates over time"
      of="Rate"
      title={(shown) => (
        <>
          Of the contents served most,{' '}
          <BestContent
            contents={shown}
            when={when}
            format={percent}
            ahead={(rate) => `earned most ${when}: ${rate} of its messages were rewarded`}
            nothing={`nothing was earned ${when}`}
            unknown={`which earned most ${when} is not known`}
          />
        </>
      )}
      note="rewarded of those served, of the contents that were served most; the band is the 95 % interval"
      from={from}
      until={until}
      format={percent}
    />
  );
}

/** What the most served contents earn of each goal over time; of the first goals alone, where `most` says so. */
export function GoalsOverTime({
  of: { contents, from, until },
  when,
  most,
}: Props & { most?: number }): VNode {
  const goals = (contents[0]?.goals ?? []).slice(0, most).map(({ goalId }) => goalId);
  return (
    <>
      {goals.map((goalId, i) => (
        <BandMultiples
          key={goalId}
          contents={contents.map(({ contentId, goals }) => {
            const { total = null, values = [] } = goals?.[i] ?? {};
            return { contentId, total, points: values };
          })}
          label={`Goal ${cleaned(goalId)} over time`}
          of="Value"
          title={(shown) => (
            <>
              <Cut of={goalId} />: of the contents served most,{' '}
              <BestContent
                contents={shown}
                when={when}
                format={share}
                ahead={(value) => `earned most ${when}, ${value} per message served`}
                nothing={`nothing led to it ${when}`}
                unknown={`which earned most ${when} is not known`}
              />
            </>
          )}
          note="value per message served, 100 % is one whole goal, by when it was served; the band is the 95 % interval"
          from={from}
          until={until}
          format={share}
        />
      ))}
    </>
  );
}

type GainPoint = DecisionTrend['gain'][number];

/** What learning gained over the holdout group until each time, with the interval that may be looked at at any time. */
export function GainOverTime({ of: { gain, from, until }, when }: Props): VNode {
  const last = gain.at(-1);
  return (
    <GainBox
      label="Gain over time"
      gain={gain}
      from={from}
      until={until}
      format={points}
      title={
        !last
          ? `What learning gained ${when} is not known`
          : last.low > 0
            ? `Learning earned ${points(last.gain)} points over the holdout ${when}, and that is certain`
            : last.high < 0
              ? `Learning earned ${points(last.gain)} points ${when}: less than the holdout`
              : `What learning gained ${when} is not certain yet: ${points(last.gain)} points`
      }
    />
  );
}

/** The same of each goal. */
export function GoalGainsOverTime({ of: { goals = [], from, until }, when }: Props): VNode {
  return (
    <>
      {goals.map(({ goalId, gain }) => {
        const last = gain.at(-1);
        const words = !last
          ? `what learning gained ${when} is not known`
          : last.low > 0
            ? `learning earned ${share(last.gain)} more ${when}, and that is certain`
            : last.high < 0
              ? `learning earned ${share(-last.gain)} less ${when}, and that is certain`
              : `what learning gained ${when} is not certain yet: ${share(last.gain)}`;
        return (
          <GainBox
            key={goalId}
            label={`Gain of goal ${cleaned(goalId)} over time`}
            gain={gain}
            from={from}
            until={until}
            format={share}
            title={
              <>
                <Cut of={goalId} />: {words}
              </>
            }
          />
        );
      })}
    </>
  );
}

function GainBox(props: {
  title: ComponentChildren;
  label: string;
  gain: readonly GainPoint[];
  from: string;
  until: string;
  format: (gain: number) => string;
}): VNode {
  const { title, label, gain, from, until, format } = props;
  const last = gain.at(-1);
  if (!last)
    return (
      <Box title={title} label={label}>
        <p class="note">It is known once decisions of both groups were served.</p>
      </Box>
    );
  // Wide intervals of the first decisions would flatten all that is known later.
  const size = Math.min(1, Math.max(2 * (last.high - last.low), 2 * Math.abs(last.gain), 0.0001));
  return (
    <Box
      title={title}
      label={label}
      note={`of ${count(last.learned)} learned choices less that of ${count(last.holdout)} in the holdout group; the band holds with 95 %, however often you look`}
    >
      <BandChart
        label={`${label}, over the holdout group until each of ${gain.length} times, at last ${format(last.gain)}, from ${format(last.low)} to ${format(last.high)}`}
        points={gain.map((point) => ({ ...point, at: Date.parse(point.until), value: point.gain }))}
        from={Date.parse(from)}
        until={Date.parse(until)}
        min={-size}
        max={size}
        format={format}
      />
      <Figures
        label={label}
        heads={['Until', 'Learned', 'Holdout', format === points ? 'Gain in points' : 'Gain', 'Interval']}
        rows={() =>
          gain.map((point) => [
            <Time at={point.until} />,
            count(point.learned),
            count(point.holdout),
            format(point.gain),
            `${format(point.low)} to ${format(point.high)}`,
          ])
        }
      />
    </Box>
  );
}
