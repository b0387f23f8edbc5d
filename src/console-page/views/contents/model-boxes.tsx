import type { ComponentChildren, VNode } from 'preact';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import { Interval } from '../../parts/bars.tsx';
import { Chart, Legend, type Line } from '../../parts/chart.tsx';
import { count, counted, percent } from '../../parts/numbers.ts';
import { Time } from '../../parts/time.tsx';
import { Box } from '../../parts/view.tsx';
import { Difference, differenceWords } from './difference.tsx';
import { gainWords, POLICIES } from './gain-words.ts';

type Model = AnswerOf<'getModel'>;
type Point = Model['series'][number];

const timeOf = ({ from }: Point) => Date.parse(from);

/** The rate of learned and of even choices over time, as lines over the times of both. */
function curves(series: readonly Point[], holdout: readonly Point[]): { times: number[]; lines: Line[] } {
  const times = [...new Set([...series, ...holdout].map(timeOf))].sort((a, b) => a - b);
  const at = (points: readonly Point[]) => {
    const rates = new Map(points.map((point) => [timeOf(point), point.rate]));
    return times.map((x) => rates.get(x) ?? null);
  };
  const lines: Line[] = [{ label: 'rate of all choices', values: at(series) }];
  if (holdout.length > 0) lines.push({ label: 'held out users', tone: 'second', values: at(holdout) });
  return { times, lines };
}

/** How the rate of rewarded decisions developed. */
export function LearningCurve({ model }: { model: Model }): VNode {
  const { times, lines } = curves(model.series, model.holdoutSeries);
  const last = model.series.at(-1);
  return (
    <Box
      title={learnedTitle(model)}
      label="What it learned"
      note={`share of decisions that were acted on, a point each ${model.step} with decisions`}
    >
      {times.length < 2 ? (
        <p class="state">
          {last === undefined ? (
            'The curve begins once messages were served.'
          ) : (
            <span>
              One point so far, from <Time at={last.from} />:{' '}
              {last.rate === null ? 'no rate' : percent(last.rate)} of {count(last.served)} served.
            </span>
          )}
        </p>
      ) : (
        <>
          <Legend lines={lines} />
          <Chart
            label={`Rate over ${times.length} points, the latest ${last?.rate == null ? 'unknown' : percent(last.rate)}`}
            times={times}
            lines={lines}
            format={percent}
          />
        </>
      )}
    </Box>
  );
}

/** Learned against holdout, and the difference with its interval. */
export function WhatLearningGains({ model }: { model: Model }): VNode {
  const { byPolicy, gain, holdoutShare, explorationShare } = model;
  const rows = POLICIES.map(([name, label, meaning]) => ({ label, meaning, group: byPolicy[name] })).filter(
    ({ group }) => group.served > 0,
  );
  const max = Math.max(...rows.map(({ group }) => group.high ?? 0), 0.01);
  return (
    <Box
      title={gainTitle(gain)}
      label="Learned against holdout"
      note={`${
        holdoutShare === 0
          ? 'No user is held out, so that nothing shows what learning adds.'
          : `${percent(holdoutShare)} of the users are held out: learning is compared with an even choice for them.`
      } For the others, ${percent(explorationShare)} of the likelihood is spread evenly too (the exploration share); more is tried to learn while the best is uncertain.${costWords(model)}`}
    >
      {rows.length === 0 ? (
        <p class="state">No decision counts yet: none of their messages was served.</p>
      ) : (
        <dl class="groups">
          {rows.map(({ label, meaning, group: { rate, low, high, served } }) => (
            <div>
              <dt>
                {label}{' '}
                <span class="note">
                  {meaning}, {count(served)} served
                </span>
              </dt>
              <dd>
                {rate !== null && low !== null && high !== null && (
                  <Interval rate={rate} low={low} high={high} max={max} label={percent(rate)} />
                )}
              </dd>
            </div>
          ))}
          {gain && <Difference {...gain} />}
        </dl>
      )}
      <p class="note">{gain === null ? NO_GAIN : differenceWords(gain.low, gain.high)}</p>
    </Box>
  );
}

/** Points whose rates are compared with those before. */
const LATEST = 6;

/** Where the rate goes: that of the latest points beside that of all before. */
function learnedTitle({ series, step }: Model): string {
  const rateOf = (points: readonly Point[]) => {
    const served = points.reduce((sum, point) => sum + point.served, 0);
    return served === 0 ? undefined : points.reduce((sum, point) => sum + point.rewarded, 0) / served;
  };
  const last = series.slice(-LATEST);
  const latest = rateOf(last);
  const before = rateOf(series.slice(0, -LATEST));
  if (latest === undefined) return 'Nothing is learned yet';
  const words = `In the last ${counted(last.length, step)} with choices, ${percent(latest)} were acted on`;
  return before === undefined ? words : `${words}; before, ${percent(before)}`;
}

/** What learning earns, and whether that is certain. */
const gainTitle = (gain: Model['gain']): ComponentChildren =>
  gain === null
    ? 'What learning earns is not known yet'
    : `In all, learning has earned ${gainWords(gain.rate, gain)}`;

/** What holding out and trying cost, once learning gains for certain. */
function costWords({ gain, holdoutShare, explorationShare }: Model): string {
  if (gain === null || gain.low <= 0) return '';
  const heldOut = 100 * gain.rate * holdoutShare;
  const tried = 100 * gain.rate * (1 - holdoutShare) * explorationShare;
  return ` That costs: of every 100 messages, about ${heldOut.toFixed(1)} fewer are acted on for holding out, and ${tried.toFixed(1)} fewer for the exploration share.`;
}

const NO_GAIN = 'What learning gains is known once messages of both groups were served.';
