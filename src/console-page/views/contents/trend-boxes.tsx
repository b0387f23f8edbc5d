import type { ComponentChildren, VNode } from 'preact';
import type { DecisionTrend } from '../../data/trends.ts';
import { BandChart } from '../../parts/charts/band-chart.tsx';
import { BandMultiples, BestContent } from '../../parts/charts/band-multiples.tsx';
import { roundUp } from '../../parts/charts/ticks.ts';
import { Figures } from '../../parts/figures.tsx';
import { count, counted, percent, points } from '../../parts/numbers.ts';
import { Cut, cleaned } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { Box } from '../../parts/view.tsx';
import { gainWords } from './gain-words.ts';
import { share } from './goal-boxes.tsx';

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
      title={() => `Rates over time, ${when}`}
      note="acted on, of those served, of the contents that were served most; the band is the 95 % interval"
      from={from}
      until={until}
      format={percent}
    />
  );
}

/** What the most served contents earn of each goal over time; of the first `most` goals alone, where that is given. */
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
      title={
        last
          ? `Learning earned ${gainWords(last.gain, last, when)}`
          : `What learning gained ${when} is not known`
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
        return (
          <GainBox
            key={goalId}
            label={`Gain of goal ${cleaned(goalId)} over time`}
            gain={gain}
            from={from}
            until={until}
            title={
              <>
                <Cut of={goalId} />:{' '}
                {last
                  ? `learning earned ${gainWords(last.gain, last, when)}`
                  : `what learning gained ${when} is not known`}
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
}): VNode {
  const { title, label, gain, from, until } = props;
  const last = gain.at(-1);
  if (!last)
    return (
      <Box title={title} label={label}>
        <p class="note">It is known once messages of both groups were served.</p>
      </Box>
    );
  // Wide intervals of the first decisions would flatten all that is known later.
  const size = Math.min(1, roundUp(Math.max(2 * (last.high - last.low), 2 * Math.abs(last.gain), 0.0001)));
  return (
    <Box
      title={title}
      label={label}
      note={`percentage points between ${counted(last.learned, 'learned choice')} and ${counted(last.holdout, 'even choice')} for held out users; the band holds with 95 %, however often you look`}
    >
      <BandChart
        label={`${label}, over an even choice until each of ${gain.length} times, at last ${points(last.gain)} percentage points, from ${points(last.low)} to ${points(last.high)}`}
        points={gain.map((point) => ({ ...point, at: Date.parse(point.until), value: point.gain }))}
        from={Date.parse(from)}
        until={Date.parse(until)}
        min={-size}
        max={size}
        format={points}
      />
      <Figures
        label={label}
        heads={['Until', 'Learned', 'Held out', 'Gain in percentage points', 'Interval']}
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
