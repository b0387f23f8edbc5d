import type { VNode } from 'preact';
import { colourOf } from '../../parts/content-colours.ts';
import { count, percent } from '../../parts/numbers.ts';
import { StackedChart } from '../../parts/stacked-chart.tsx';
import { Text } from '../../parts/text.tsx';
import { Box } from '../../parts/view.tsx';
import type { Overview } from './overview.ts';

const sum = (hours: readonly number[]) => hours.reduce((total, n) => total + n, 0);

/** Which contents were served, hour by hour, with the holdout group apart. */
export function ContentMix({ of }: { of: Overview }): VNode | null {
  const { contents, messages, servedFrom } = of;
  const served = sum(messages.servedByHour);
  const [first] = contents;
  if (served === 0 || !first) return null;
  const named = contents.map(({ servedByHour }) => servedByHour);
  const others = messages.servedByHour.map((n, hour) =>
    Math.max(
      0,
      n - (messages.holdoutByHour[hour] ?? 0) - named.reduce((total, hours) => total + (hours[hour] ?? 0), 0),
    ),
  );
  const layers = [
    ...contents.map(({ contentId, servedByHour }) => ({
      name: contentId,
      colour: colourOf(contentId),
      values: servedByHour,
    })),
    { name: 'other contents', colour: 'other', values: others },
    { name: 'holdout group, chosen evenly', colour: 'holdout', values: messages.holdoutByHour },
  ].filter(({ values }) => sum(values) > 0);
  return (
    <Box
      title={
        <>
          <Text of={first.contentId} /> has {percent(sum(first.servedByHour) / served)} of what was shown
        </>
      }
      label="What was shown"
      note={`share of the ${count(served)} messages served in the last 24 hours, by content and hour`}
    >
      <StackedChart
        label="Share of what was shown, by content and hour"
        from={Date.parse(servedFrom)}
        stepMs={3_600_000}
        layers={layers}
      />
    </Box>
  );
}
