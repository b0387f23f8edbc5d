import type { ComponentChildren, VNode } from 'preact';
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
import type { Sending } from './progress.tsx';
import { stateOf, type Webhook } from './webhook-words.ts';

/** The subscriptions, each with how its attempts went in the range of time of the view, and what is to do where one is disabled. */
export function Subscriptions(props: {
  webhooks: Pages<Webhook>;
  trend: DeliveryTrend | undefined;
  /** The range in words: `in the last 7 days`. */
  when: string;
  filters: Filters;
  sent: (sending: Sending) => void;
}): VNode {
  const { webhooks, trend, when, filters, sent } = props;
  return (
    <Box title={titleOf(webhooks, trend)} label="Subscriptions">
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
              columns={columnsOf(trend, when, filters)}
            />
            <Disabled webhooks={items} sent={sent} />
          </>
        )}
      </PagedList>
    </Box>
  );
}

/** Shares of attempts that succeed from which on a title does not name the subscription. */
const WELL = 0.9;

/** Which active subscription fails most often, if one often does. */
function oftenFails(items: readonly Webhook[], trend: DeliveryTrend | undefined): ComponentChildren[] {
  const [worst] = items
    .flatMap(({ id, url, description, status }) => {
      const went = trend?.subscriptions.find(({ webhookId }) => webhookId === id);
      const share = went && status === 'active' ? went.delivered / went.attempts : 1;
      return share < WELL ? [{ name: description ?? url, share }] : [];
    })
    .sort((a, b) => a.share - b.share);
  if (!worst) return [];
  return [`, and ${percent(1 - worst.share)} of the attempts to `, <Cut of={worst.name} />, ' failed'];
}

/** How many there are, and how many of them get nothing. */
function titleOf(
  { items, more }: Pages<Webhook>,
  trend: DeliveryTrend | undefined,
): string | readonly ComponentChildren[] {
  if (items.length === 0) return 'Subscriptions';
  const disabled = items.filter(({ status }) => status === 'disabled').length;
  const all = more
    ? `more than ${counted(items.length, 'subscription')}`
    : counted(items.length, 'subscription');
  const since = items.flatMap(({ status, failingSince }) =>
    status === 'active' && failingSince !== undefined ? Date.parse(failingSince) : [],
  );
  const but: readonly ComponentChildren[] =
    since.length === 0
      ? oftenFails(items, trend)
      : [
          items.length === 1
            ? ', but no attempt succeeded since '
            : `, and no attempt to ${count(since.length)} of the active ones succeeded since `,
          <Time at={Math.min(...since)} />,
        ];
  if (disabled === 0) return [items.length === 1 ? 'One subscription, active' : `${all}, all active`, ...but];
  return items.length === 1
    ? 'The subscription is disabled'
    : [`${count(disabled)} of ${all} ${disabled === 1 ? 'is' : 'are'} disabled`, ...but];
}

type Went = DeliveryTrend['subscriptions'][number];

/** The share of the attempts that succeeded, in all and over time: a column for each step, of which what failed stands out. */
function Success({ of: { attempts, delivered, attemptsByStep, deliveredByStep } }: { of: Went }): VNode {
  return (
    <span class="success">
      <svg viewBox={`0 0 ${attemptsByStep.length} 1`} preserveAspectRatio="none" aria-hidden="true">
        {attemptsByStep.map((all, i) => {
          const failed = all === 0 ? 0 : 1 - deliveredByStep[i]! / all;
          return (
            all > 0 && (
              <>
                <rect class="well" x={i + 0.1} y={failed} width={0.8} height={1 - failed} />
                <rect class="failed" x={i + 0.1} y={0} width={0.8} height={failed} />
              </>
            )
          );
        })}
      </svg>
      {percent(delivered / attempts)}
    </span>
  );
}

function columnsOf(
  trend: DeliveryTrend | undefined,
  when: string,
  { values }: Filters,
): readonly Column<Webhook>[] {
  const found = new Map(trend?.subscriptions.map((each) => [each.webhookId, each]));
  /** A figure of what was attempted; nothing until it is known. */
  const figure =
    (of: (went: Went) => ComponentChildren) =>
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
            aria-label={`The subscription of ${url}`}
            href={`/webhooks${search({ ...values, webhookId: id, delivery: '' })}`}
          >
            <Cut of={url} />
          </a>
          <div class="note">{description ? <Cut of={description} /> : <Id of={id} short />}</div>
        </>
      ),
    },
    {
      title: 'Events',
      wide: true,
      cell: ({ events }) => (
        <span title={events.join(', ')}>
          {events[0]}
          {events.length > 1 && <span class="note"> and {counted(events.length - 1, 'other')}</span>}
        </span>
      ),
    },
    {
      title: 'State',
      cell: (webhook) => {
        const [tone, words] = stateOf(webhook);
        return <Badge tone={tone}>{words}</Badge>;
      },
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
      cell: figure((went) => <Success of={went} />),
    },
    {
      title: 'Half within',
      note: 'of the answers',
      align: 'end',
      wide: true,
      cell: figure(({ p50Ms }) => time(p50Ms)),
    },
    {
      title: '95 % within',
      note: 'of the answers',
      align: 'end',
      wide: true,
      cell: figure(({ p95Ms }) => time(p95Ms)),
    },
  ];
}
