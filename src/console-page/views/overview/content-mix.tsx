import type { VNode } from 'preact';
import type { DecisionTrend } from '../../data/trends.ts';
import { Bar } from '../../parts/bars.tsx';
import { StackedChart } from '../../parts/charts/stacked-chart.tsx';
import { colourOf } from '../../parts/content-colours.ts';
import { count, percent } from '../../parts/numbers.ts';
import { stepWords } from '../../parts/range.tsx';
import { Term } from '../../parts/term.tsx';
import { Cut } from '../../parts/text.tsx';
import { Box } from '../../parts/view.tsx';

/** Of fewer steps, a chart over time is a few bars that say nothing of it. */
const FEWEST_STEPS = 3;

const sum = (steps: readonly number[]) => steps.reduce((total, n) => total + n, 0);

/** Which contents were served over time, with what was tried to learn and the holdout group apart. */
export function ContentMix({ of, when }: { of: DecisionTrend; when: string }): VNode {
  const { served, holdout, tried, from, until, stepMs } = of;
  // The order of the legend, whose shares leave out what was tried and the holdout group.
  const contents = [...of.contents].sort((a, b) => sum(b.served) - sum(a.served));
  const all = sum(served);
  const [first] = contents;
  if (all === 0 || !first)
    return (
      <Box title={`Nothing was shown ${when}`} label="What was shown">
        <p class="note">A decision counts once its message is served, or at once where no app polls.</p>
      </Box>
    );
  // Contents counts all of it.
  const chosen = sum(first.served);
  const total = first.total?.served ?? chosen;
  const others = served.map((n, i) =>
    Math.max(0, n - holdout[i]! - tried[i]! - sum(contents.map((content) => content.served[i]!))),
  );
  const layers = [
    ...contents.map((content) => ({
      name: content.contentId,
      colour: colourOf(content.contentId),
      values: content.served,
    })),
    { name: 'other contents', colour: 'other', values: others },
    { name: 'tried to learn', colour: 'tried', values: tried },
    { name: 'holdout group, chosen evenly', colour: 'holdout', values: holdout },
  ].filter(({ values }) => sum(values) > 0);
  return (
    <Box
      title={
        <>
          <Cut of={first.contentId} /> was {percent(total / all)} of what was shown {when}
          {total > chosen && `: ${percent(chosen / all)} by choice, the rest tried to learn or held out`}
        </>
      }
      label="What was shown"
      note={
        <>
          counted by the {stepWords(stepMs)}, share of the {count(all)} decisions that{' '}
          <Term of="count as served" />
          {'; '}what was <Term of="tried to learn" /> and the <Term of="held out" word="holdout group" /> are
          apart
        </>
      }
    >
      {served.length < FEWEST_STEPS ? (
        <dl class="groups">
          {layers.map(({ name, colour, values }) => (
            <div>
              <dt>
                <span class={`swatch ${colour}`} aria-hidden="true" /> <Cut of={name} />
              </dt>
              <dd>
                <Bar value={sum(values)} max={all} label={percent(sum(values) / all)} />
              </dd>
            </div>
          ))}
        </dl>
      ) : (
        <StackedChart
          label="Share of what was shown, by content and time"
          from={Date.parse(from)}
          stepMs={stepMs}
          until={Date.parse(until)}
          layers={layers}
        />
      )}
    </Box>
  );
}
