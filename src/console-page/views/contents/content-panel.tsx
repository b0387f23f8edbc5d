import type { VNode } from 'preact';
import { svcCommand } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { useResource } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { Chart } from '../../parts/chart.tsx';
import { Command } from '../../parts/command.tsx';
import { Facts } from '../../parts/facts.tsx';
import { counted, percent } from '../../parts/numbers.ts';
import { Panel } from '../../parts/panel.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { cleaned, Text } from '../../parts/text.tsx';
import { goalWords } from './goal-boxes.tsx';
import { curves } from './model-boxes.tsx';

/** Where the entry of a content is edited. */
const entryPath = (id: string): string => `/catalog/contents/${encodeURIComponent(id)}`;

/** One content: its figures, and its rate over time. */
export function ContentPanel({ id, close }: { id: string; close: () => void }): VNode {
  const { value, error, reload } = useResource(id, (signal) =>
    call('getContent', { params: { id }, signal }),
  );
  return (
    <Panel title={<Text of={id} />} close={close}>
      {!value && (error ? <Failure error={error} retry={reload} /> : <Loading what="the content" />)}
      {value && (
        <>
          <Facts
            facts={[
              {
                name: 'State',
                value: <Badge tone={value.status === 'active' ? 'good' : 'warn'}>{value.status}</Badge>,
              },
              { name: 'Title', value: <Text of={value.title ?? 'no longer in the catalog'} /> },
              { name: 'Served', value: counted(value.served, 'message') },
              { name: 'Rewarded', value: counted(value.rewarded, 'message') },
              { name: 'Dismissed', value: counted(value.dismissed, 'message') },
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
          {value.series.length > 1 && (
            <Chart
              label={`Rate of ${cleaned(id)} over ${value.series.length} points`}
              {...curves(value.series, [])}
              height={140}
              format={percent}
            />
          )}
          <p class="actions">
            <a href={`/decisions?contentId=${encodeURIComponent(id)}`}>Decisions that chose it</a>
            {value.title !== null && <a href={entryPath(id)}>Its entry in the catalog</a>}
          </p>
          <Command line={svcCommand('contents', 'get', id)} label="this content" />
        </>
      )}
    </Panel>
  );
}
