import type { VNode } from 'preact';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import { Interval } from '../../parts/bars.tsx';
import { Chart, Legend, type Line } from '../../parts/chart.tsx';
import { count, counted, percent } from '../../parts/numbers.ts';
import { Time } from '../../parts/time.tsx';
import { Box } from '../../parts/view.tsx';

type Model = AnswerOf<'getModel'>;
type Point = Model['series'][number];

const seconds = ({ from }: Point) => Date.parse(from) / 1000;

/** The rate of learned and of even choices over time, as lines over the times of both. */
export function curves(series: readonly Point[], holdout: readonly Point[]): { xs: number[]; lines: Line[] } {
  const xs = [...new Set([...series, ...holdout].map(seconds))].sort((a, b) => a - b);
  const at = (points: readonly Point[]) => {
    const rates = new Map(points.map((point) => [seconds(point), point.rate]));
    return xs.map((x) => rates.get(x) ?? null);
  };
  const lines: Line[] = [{ label: 'rate of all choices', values: at(series) }];
  if (holdout.length > 0) lines.push({ label: 'holdout group', tone: 'second', values: at(holdout) });
  return { xs, lines };
}

/** How the rate of rewarded decisions developed. */
export function LearningCurve({ model }: { model: Model }): VNode {
  const { xs, lines } = curves(model.series, model.holdoutSeries);
  const last = model.series.at(-1);
  return (
    <Box
      title={learnedTitle(model)}
      label="What it learned"
      note={`share of decisions that were rewarded, a point each ${model.step} with decisions`}
    >
      {xs.length < 2 ? (
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
            label={`Rate over ${xs.length} points, the latest ${last?.rate == null ? 'unknown' : percent(last.rate)}`}
            xs={xs}
            lines={lines}
            format={percent}
          />
        </>
      )}
    </Box>
  );
}

const POLICIES = [
  ['learned', 'Learned'],
  ['holdout', 'Holdout, chosen evenly'],
  ['weights', 'Fixed weights'],
] as const;

/** Learned against holdout, and the difference with its interval. */
export function WhatLearningGains({ model }: { model: Model }): VNode {
  const { byPolicy, gain, holdoutShare, explorationShare } = model;
  const rows = POLICIES.map(([name, label]) => ({ label, group: byPolicy[name] })).filter(
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
          : `${percent(holdoutShare)} of the users are held out: for them each eligible content has the same chance, which shows what learning adds.`
      } Of the other choices, ${percent(explorationShare)} fall evenly on all contents, so that each is tried.`}
    >
      {rows.length === 0 ? (
        <p class="state">No decision counts yet: none of their messages was served.</p>
      ) : (
        <dl class="groups">
          {rows.map(({ label, group: { rate, low, high, served } }) => (
            <div>
              <dt>
                {label} <span class="note">{count(served)} served</span>
              </dt>
              <dd>
                {rate !== null && low !== null && high !== null && (
                  <Interval rate={rate} low={low} high={high} max={max} label={percent(rate)} />
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
      <p class="note">{gain === null ? NO_GAIN : gainWords(gain)}</p>
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
  const words = `${percent(latest)} of the choices of the last ${counted(last.length, step)} with any were rewarded`;
  return before === undefined ? words : `${words}, ${percent(before)} before`;
}

/** What learning earns, and whether that is certain. */
function gainTitle(gain: Model['gain']): string {
  if (gain === null) return 'What learning earns over the holdout is not known yet';
  const { rate, low, high } = gain;
  if (low > 0) return `Learning earns ${points(rate)} points over the holdout, and that is certain`;
  if (high < 0) return `Learning earns ${points(rate)} points: less than the holdout`;
  return `Learning and holdout do not differ for certain yet: ${points(rate)} points`;
}

const NO_GAIN =
  'What learning gains is known once both groups were served. The holdout of the settings in the catalog is the share of the users that is held out.';

/** A difference of shares in percentage points, with its sign. */
export const points = (share: number) => `${share < 0 ? '−' : '+'}${Math.abs(share * 100).toFixed(1)}`;

const gainWords = ({ rate, low, high }: { rate: number; low: number; high: number }) =>
  `Learned less holdout: ${points(rate)} percentage points (95 % interval ${points(low)} to ${points(high)}).`;
