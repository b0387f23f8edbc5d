import type { VNode } from 'preact';
import { svcCommand } from '../../data/about.ts';
import { search } from '../../data/api.ts';
import type { Filters } from '../../data/filters.ts';
import type { Pages } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { count, counted, percent } from '../../parts/numbers.ts';
import { PagedList } from '../../parts/pages.tsx';
import { Empty } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Cut, Id } from '../../parts/text.tsx';
import { duration, Time } from '../../parts/time.tsx';
import { Box } from '../../parts/view.tsx';
import type { DeliveryTrend } from './attempt-history.tsx';
import { Disabled } from './disabled.tsx';
import type { Webhook } from './webhook-words.ts';

/** The subscriptions, each with how its attempts went in the range of time of the view, and what is to do where one is disabled. */
export function Subscriptions(props: {
  webhooks: Pages<Webhook>;
  trend: DeliveryTrend | undefined;
  /** Says which of them get nothing now, whatever the range of the view is. */
  lastHour: DeliveryTrend | undefined;
  /** The range in words: `in the last 7 days`. */
  when: string;
  filters: Filters;
  reload: () => void;
}): VNode {
  const { webhooks, trend, lastHour, when, filters, reload } = props;
  const { webhookId } = filters.values;
  const failing = new Set(
    lastHour?.subscriptions
      .filter(({ attempts, delivered }) => attempts > 0 && delivered === 0)
      .map((each) => each.webhookId),
  );
  const isFailing = ({ id, status }: Webhook) => status === 'active' && failing.has(id);
  return (
    <Box title={titleOf(webhooks, isFailing)} label="Subscriptions">
      <PagedList
        what="the subscriptions"
        pages={webhooks}
        empty={
          <Empty title="No subscriptions." command={svcCommand('webhooks', 'listen')}>
            <p>
              This subscribes a receiver on your machine, and shows each delivery with its signature checked:
            </p>
          </Empty>
        }
      >
        {(items) => (
          <>
            <Table
              label="Subscriptions"
              dense
              rows={items}
              keyOf={({ id }) => id}
              current={({ id }) => id === webhookId}
              columns={columnsOf(trend, when, filters, isFailing)}
            />
            <Disabled webhooks={items.filter(({ id }) => !webhookId || id === webhookId)} done={reload} />
          </>
        )}
      </PagedList>
    </Box>
  );
}

/** How many there are, and how many of them get nothing. */
function titleOf({ items, more }: Pages<Webhook>, isFailing: (webhook: Webhook) => boolean): string {
  if (items.length === 0) return 'Subscriptions';
  const disabled = items.filter(({ status }) => status === 'disabled').length;
  const all = more
    ? `more than ${counted(items.length, 'subscription')}`
    : counted(items.length, 'subscription');
  const failing = items.filter(isFailing).length;
  const but =
    failing === 0
      ? ''
      : `, but every attempt of the last hour ${items.length === 1 ? '' : `to ${count(failing)} of the active ones `}failed`;
  if (disabled === 0)
    return items.length === 1 ? `One subscription, active${but}` : `${all}, all active${but}`;
  return items.length === 1
    ? 'The subscription is disabled'
    : `${count(disabled)} of ${all} ${disabled === 1 ? 'is' : 'are'} disabled${but}`;
}

function columnsOf(
  trend: DeliveryTrend | undefined,
  when: string,
  { values }: Filters,
  isFailing: (webhook: Webhook) => boolean,
): readonly Column<Webhook>[] {
  const found = new Map(trend?.subscriptions.map((each) => [each.webhookId, each]));
  /** A figure of what was attempted; nothing until it is known. */
  const figure =
    (of: (went: DeliveryTrend['subscriptions'][number]) => string | undefined) =>
    ({ id }: Webhook) => {
      const went = found.get(id);
      return trend && ((went && of(went)) ?? '–');
    };
  const time = (ms: number | undefined) => (ms === undefined ? undefined : duration(ms));
  return [
    {
      title: 'Address',
      cell: ({ id, url, description }) => (
        <>
          <a
            aria-label={`${id === values.webhookId ? 'All deliveries, not only to' : 'Only the deliveries to'} ${url}`}
            href={`/webhooks${search({ ...values, webhookId: id === values.webhookId ? '' : id, delivery: '' })}`}
          >
            <Cut of={url} />
          </a>
          <div class="note">{description ? <Cut of={description} /> : <Id of={id} short />}</div>
        </>
      ),
    },
    { title: 'Events', wide: true, cell: ({ events }) => <Cut of={events.join(', ')} /> },
    {
      title: 'State',
      cell: (webhook) => (
        <Badge tone={webhook.status === 'active' && !isFailing(webhook) ? 'good' : 'bad'}>
          {isFailing(webhook) ? 'active, failing' : webhook.status}
        </Badge>
      ),
    },
    {
      title: 'Attempts',
      note: when,
      align: 'end',
      wide: true,
      cell: figure(({ attempts }) => count(attempts)),
    },
    {
      title: 'Succeeded',
      align: 'end',
      cell: figure(({ attempts, delivered }) => percent(delivered / attempts)),
    },
    { title: 'P50', align: 'end', wide: true, cell: figure(({ p50Ms }) => time(p50Ms)) },
    { title: 'P95', align: 'end', wide: true, cell: figure(({ p95Ms }) => time(p95Ms)) },
    { title: 'Created', align: 'end', wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
  ];
}
