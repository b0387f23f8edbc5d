import type { VNode } from 'preact';
import { offers, svcCommand } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { useResource } from '../../data/resource.ts';
import { type DecisionTrend, trendEveryMs } from '../../data/trends.ts';
import { Badge } from '../../parts/badge.tsx';
import { BandChart } from '../../parts/charts/band-chart.tsx';
import { Command } from '../../parts/command.tsx';
import { colourOf } from '../../parts/content-colours.ts';
import { Facts } from '../../parts/facts.tsx';
import { counted, percent } from '../../parts/numbers.ts';
import { Panel } from '../../parts/panel.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { cleaned, Text } from '../../parts/text.tsx';
import { ContentTexts } from './content-texts.tsx';
import { ContentVersions, PausedSince } from './content-versions.tsx';
import { goalWords } from './goal-boxes.tsx';
import { PauseButton } from './pause-button.tsx';
import { Since } from './since.tsx';

/** Where the entry of a content is edited. */
const entryPath = (id: string): string => `/catalog/contents/${encodeURIComponent(id)}`;

/** One content: its figures, its rate over the range that is chosen, the versions that changed it, and what can be done with it. */
export function ContentPanel(props: {
  id: string;
  close: () => void;
  trend: DecisionTrend | undefined;
  /** The range of the trend in words. */
  when: string;
  changed: () => void;
}): VNode {
  const { id, close, trend, when, changed } = props;
  const { value, error, reload } = useResource(
    id,
    (signal) => call('getContent', { params: { id }, signal }),
    trendEveryMs(),
  );
  return (
    <Panel
      title={<Text of={id} />}
      close={close}
      action={
        value &&
        value.title !== null &&
        offers('putCatalog') && (
          <PauseButton
            id={id}
            paused={value.status === 'paused'}
            done={() => {
              reload();
              changed();
            }}
          />
        )
      }
    >
      {!value && (error ? <Failure error={error} retry={reload} /> : <Loading what="the content" />)}
      {value && (
        <>
          <Facts
            facts={[
              {
                name: 'State',
                value: (
                  <>
                    <Badge tone={value.status === 'active' ? 'good' : 'warn'}>{value.status}</Badge>
                    {value.status === 'paused' && <PausedSince id={id} />}
                  </>
                ),
              },
              ...(value.title === null ? [{ name: 'Title', value: 'no longer in the catalog' }] : []),
            ]}
          />
          {trend && <Band id={id} trend={trend} when={when} />}
          <h3>
            In all
            <Since series={value.series} />
          </h3>
          <Facts
            facts={[
              { name: 'Served', value: counted(value.served, 'message') },
              { name: 'Acted on', value: counted(value.rewarded, 'message') },
              {
                name: 'Dismissed',
                value: counted(value.dismissed, 'message'),
                note:
                  value.rewarded + value.dismissed > value.served
                    ? 'some after they were acted on: these count as both'
                    : undefined,
              },
              {
                name: 'Rate',
                value:
                  value.rate === null || value.low === null || value.high === null
                    ? 'not served yet'
                    : `${percent(value.rate)} (95 % interval ${percent(value.low)} to ${percent(value.high)})`,
              },
              ...(value.goals ?? []).map((earned) => ({
                name: `Goal ${cleaned(earned.goalId)}`,
                value: goalWords(earned),
              })),
            ]}
          />
          {value.title !== null && <ContentTexts id={id} />}
          <ContentVersions id={id} />
          <p class="actions">
            <a href={`/messages?contentId=${encodeURIComponent(id)}`}>Its messages</a>
            <a href={`/decisions?contentId=${encodeURIComponent(id)}`}>Decisions that chose it</a>
            {value.title !== null && <a href={entryPath(id)}>Its entry in the catalog</a>}
          </p>
          <Command line={svcCommand('contents', 'get', id)} label="this content" />
        </>
      )}
    </Panel>
  );
}

/** The rate of a content over a range, in the band of its interval. */
function Band({ id, trend, when }: { id: string; trend: DecisionTrend; when: string }): VNode {
  const { total, rates } = trend.contents.find(({ contentId }) => contentId === id) ?? {};
  if (!total || !rates) return <p class="note">Not served {when}.</p>;
  const max = Math.min(1, Math.max(...rates.map(({ high }) => high), 0.01));
  return (
    <>
      <h3>
        {percent(total.rate)} of {counted(total.served, 'message')} acted on {when}
      </h3>
      <BandChart
        label={`Rate of ${cleaned(id)} ${when}, at ${counted(rates.length, 'time')}, in the band of its 95 % interval`}
        points={rates.map(({ from, rate, low, high }) => ({ at: Date.parse(from), value: rate, low, high }))}
        from={Date.parse(trend.from)}
        until={Date.parse(trend.until)}
        min={0}
        max={max}
        format={percent}
        colour={colourOf(id)}
      />
    </>
  );
}
