import type { VNode } from 'preact';
import { call } from '../../data/api.ts';
import { useResource } from '../../data/resource.ts';
import { count, counted, percent } from '../../parts/numbers.ts';
import { Failure, Loading } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { duration, Time } from '../../parts/time.tsx';
import { Box } from '../../parts/view.tsx';

const EVERY_MS = 15_000;
const PERIODS = { hour: 'Last hour', day: 'Last day', week: 'Last week' } as const;

/** How the deliveries to a subscription went in the last hour, day and week. Nothing if its service does not say. */
export function Performance({ webhookId }: { webhookId: string }): VNode | null {
  const { value, error, reload } = useResource(
    webhookId,
    (signal) => call('getWebhook', { params: { id: webhookId }, signal }),
    EVERY_MS,
  );
  if (error && !value) return <Failure error={error} retry={reload} />;
  if (!value) return <Loading what="how deliveries went" />;
  const { performance, catchingUp, redelivery, createdAt } = value;
  if (!performance) return null;
  const rows = (Object.keys(PERIODS) as (keyof typeof PERIODS)[]).map((period) => ({
    period,
    ...performance[period],
  }));
  const time = (ms: number | undefined) => (ms === undefined ? '–' : duration(ms));
  return (
    <Box
      title="How its deliveries went"
      note={
        catchingUp ? (
          <>
            it gets what it missed: {counted(catchingUp.queued, 'outcome')} queued, up to{' '}
            <Time at={catchingUp.reached} />
          </>
        ) : redelivery?.endedAt === null ? (
          `${count(redelivery.queued)} of ${count(redelivery.matched)} that did not arrive are sent again`
        ) : (
          <>
            all attempts, also those of deliveries that were removed; subscribed <Time at={createdAt} />
          </>
        )
      }
    >
      <Table
        label="How its deliveries went"
        dense
        rows={rows}
        keyOf={({ period }) => period}
        columns={[
          { title: 'Period', cell: ({ period }) => PERIODS[period] },
          { title: 'Attempts', align: 'end', cell: ({ attempts }) => count(attempts) },
          {
            title: 'Succeeded',
            align: 'end',
            cell: ({ attempts, delivered }) => (attempts === 0 ? '–' : percent(delivered / attempts)),
          },
          { title: 'Half within', note: 'of the answers', align: 'end', cell: ({ p50Ms }) => time(p50Ms) },
          { title: '95 % within', note: 'of the answers', align: 'end', cell: ({ p95Ms }) => time(p95Ms) },
        ]}
      />
    </Box>
  );
}
