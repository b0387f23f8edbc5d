import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { flagsOf, svcCommand } from '../../data/about.ts';
import { call, search } from '../../data/api.ts';
import { type Filters, useFilters } from '../../data/filters.ts';
import { type Pages, useEvery, usePages, useResource } from '../../data/resource.ts';
import { trendEveryMs } from '../../data/trends.ts';
import { CommandButton } from '../../parts/command.tsx';
import { useEscape } from '../../parts/focus/escape.ts';
import { Icon } from '../../parts/icons.tsx';
import {
  chartRangeOf,
  keptRange,
  type Range,
  RangeControl,
  rangeOf,
  rangeWords,
} from '../../parts/range.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { cleaned } from '../../parts/text.tsx';
import { ViewHead } from '../../parts/view.tsx';
import { AttemptHistory, type DeliveryTrend } from './attempt-history.tsx';
import { AttemptRuns } from './attempt-runs.tsx';
import { Deliveries, useFailing } from './deliveries.tsx';
import { DeliveryPanel } from './delivery-panel.tsx';
import { Progress, type Sending, useSending } from './progress.tsx';
import { Subscription } from './subscription.tsx';
import { Subscriptions } from './subscriptions.tsx';
import {
  type Delivery,
  MOST_WAITING,
  MOST_WAITING_LISTED,
  PAGE,
  type Webhook,
  waitingTo,
} from './webhook-words.ts';

/** The subscriptions, and the deliveries of all of them or of one, each with its attempts. */
export function WebhooksView(): VNode {
  const filters = useFilters();
  const { webhookId, status, delivery: openId } = filters.values;
  const webhooks = usePages('webhooks', async (after, signal) => {
    const answer = await call('listWebhooks', { query: { pending: 'true', after }, signal });
    return { items: answer.webhooks, next: answer.next };
  });
  const range = rangeOf(filters);
  // Their times move on, and the lists of them stay.
  const rangeKey = keptRange(filters.values);
  const deliveries = usePages(JSON.stringify([webhookId, status, rangeKey]), async (after, signal) => {
    const query = { status, ...range, after };
    const answer = webhookId
      ? await call('listDeliveries', { params: { id: webhookId }, query, signal })
      : await call('listAllDeliveries', { query, signal });
    return { items: answer.deliveries, next: answer.next };
  });
  const failing = useFailing(filters, deliveries.readAt);
  const attempted = countedRange(filters, oldestOf(webhooks));
  const isListed = !webhooks.loading || webhooks.items.length > 0;
  const [sending, setSending] = useState<Sending>();
  const going = useSending(sending, () => reload());
  const followed = going.overAt === undefined ? sending?.to.map(({ id }) => id) : undefined;
  const asked = webhookId === undefined ? disabledOf(webhooks.items) : [webhookId];
  const trend = useResource(isListed ? `${webhookId} ${rangeKey}` : undefined, (signal) =>
    // Those of which something is sent again are read with that.
    readTrends(
      attempted,
      webhookId,
      asked.filter((id) => !followed?.includes(id)),
      signal,
    ),
  );
  const went = trend.value?.went;
  const when = countedWords(filters, went);
  // What was read last stays until it is read again.
  const known = useRef(new Map<string, Webhook>());
  for (const each of [...(trend.value?.webhooks ?? []), ...(followed ? (going.value?.webhooks ?? []) : [])])
    known.current.set(each.id, each);
  const webhook = webhookId === undefined ? undefined : known.current.get(webhookId);
  // All is read at once, so that its figures agree.
  const reload = () => {
    webhooks.reload();
    deliveries.reload();
    trend.reload();
  };
  // A list that was read on stays as it is.
  useEvery(trendEveryMs(), () => deliveries.items.length <= PAGE && reload());
  const { route } = useLocation();
  const open = (id: string) => filters.set({ delivery: id });
  const toAll = `/webhooks${search({ ...filters.values, webhookId: '', delivery: '' })}`;
  useEscape(webhookId && !openId ? () => route(toAll) : undefined);
  const head = (
    <ViewHead
      title={cleaned(webhooks.items.find(({ id }) => id === webhookId)?.url ?? 'Webhooks')}
      command={svcCommand(
        'webhooks',
        'deliveries',
        ...(webhookId ? [webhookId] : []),
        ...flagsOf({ status, ...range }),
      )}
      readAt={deliveries.readAt}
      every={trendEveryMs()}
      // What is sent again is read first, and then the rest with it.
      refresh={followed ? going.reload : reload}
      actions={
        <CommandButton
          word="New subscription"
          line={svcCommand(
            'webhooks',
            'create',
            '--url=https://example.com/hook',
            '--event=campaign.clicked,decision.actioned',
          )}
        >
          This subscribes an address of yours, and shows its signing secret once:
        </CommandButton>
      }
    />
  );
  // What failed stands above too; it stays while another range of it is read.
  const failed = useRef<{ readonly of: string | undefined; readonly items: readonly Delivery[] } | undefined>(
    undefined,
  );
  if (failing.found) failed.current = { of: webhookId, items: failing.found.items };
  const own = failed.current?.of === webhookId ? failed.current?.items : undefined;
  const isFailingKnown =
    own !== undefined ||
    status === 'delivered' ||
    failing.error !== undefined ||
    deliveries.error !== undefined;
  // What is above comes first, with its figures, so that nothing jumps.
  const isThere = useRef(false);
  isThere.current ||=
    (!webhooks.loading || webhooks.error !== undefined) &&
    (went !== undefined || trend.error !== undefined) &&
    (webhookId === undefined || isFailingKnown);
  if (!isThere.current)
    return (
      <>
        {head}
        <Loading what="the subscriptions" />
      </>
    );
  return (
    <>
      {head}
      <div class="toolbar">
        <RangeControl filters={filters} />
      </div>
      {sending && (
        <Progress
          of={going}
          close={() => {
            setSending(undefined);
            reload();
          }}
        />
      )}
      {trend.error && <Failure error={trend.error} retry={trend.reload} />}
      {webhookId ? (
        <>
          <a class="back" href={toAll}>
            <Icon name="back" /> All subscriptions
          </a>
          {webhook && isFailingKnown && (
            <Subscription
              key={webhookId}
              webhook={webhook}
              failing={own}
              went={went?.subscriptions[0]}
              when={when}
              since={range.since}
              sent={setSending}
              reload={reload}
              open={open}
            />
          )}
        </>
      ) : (
        <Subscriptions
          webhooks={webhooks}
          known={known.current}
          failing={failing.found?.items ?? []}
          listed={deliveries.items}
          trend={went}
          when={when}
          filters={filters}
          sent={setSending}
        />
      )}
      {went && (
        <AttemptHistory of={went} when={when}>
          {webhookId && <AttemptRuns of={deliveries.items} open={open} />}
        </AttemptHistory>
      )}
      {trend.loading && !went && (
        <div class="box wait">
          <Loading what="how the attempts went" />
        </div>
      )}
      <Deliveries
        pages={deliveries}
        failing={failing}
        waiting={
          rangeKey !== '' || (webhookId === undefined ? webhooks.more : !webhook)
            ? undefined
            : webhook
              ? waitingTo([webhook], MOST_WAITING)
              : waitingTo(webhooks.items, MOST_WAITING_LISTED)
        }
        webhooks={webhooks.items}
        filters={filters}
        open={open}
        sent={setSending}
      />
      {openId && (
        <DeliveryPanel
          key={openId}
          id={openId}
          webhooks={webhooks.items}
          close={() => filters.set({ delivery: '' })}
          changed={deliveries.reload}
        />
      )}
    </>
  );
}

/** Disabled subscriptions of which the list says how much each missed, which is counted in the log of outcomes. */
const MOST_ASKED = 5;

const disabledOf = (webhooks: readonly Webhook[]): readonly string[] =>
  webhooks
    .filter(({ status }) => status === 'disabled')
    .slice(0, MOST_ASKED)
    .map(({ id }) => id);

/** What the figures above the list are made of, read at once, with some subscriptions. */
async function readTrends(
  range: Range,
  webhookId: string | undefined,
  ids: readonly string[],
  signal: AbortSignal,
) {
  const [went, ...webhooks] = await Promise.all([
    call('getDeliveryTrend', { query: { ...range, webhookId }, signal }),
    ...ids.map((id) => call('getWebhook', { params: { id }, signal })),
  ] as const);
  return { went, webhooks };
}

const WEEK_MS = 7 * 86_400_000;
/** A chart of less would be a column or two. */
const HOUR_MS = 3_600_000;

/** When the oldest subscription was made, Unix ms; 0 where others may be older. */
const oldestOf = ({ items, more }: Pages<Webhook>): number =>
  items.length === 0 || more ? 0 : Math.min(...items.map(({ createdAt }) => Date.parse(createdAt)));

/**
 * The range over which attempts are counted, which is a week at most: the same for all subscriptions and for one, so that
 * their figures agree. It begins with an hour, as charts do, without a choice with that of the oldest subscription, and is
 * an hour at least. Within an hour, the counts of its first minutes would soon no longer be kept.
 */
function countedRange(filters: Filters, oldest: number): Range {
  const { since, until } = rangeOf(filters);
  if (since !== undefined) return isHour(filters) ? { since } : chartRangeOf(filters);
  const end = until === undefined ? Date.now() : Date.parse(until);
  const from = Math.min(end - HOUR_MS, Math.max(end - WEEK_MS, oldest - (oldest % HOUR_MS)));
  return { since: new Date(from).toISOString(), until };
}

const isHour = ({ values }: Filters) => values.range === 'hour';

/** What the range over which attempts are counted is called. */
function countedWords(filters: Filters, went: DeliveryTrend | undefined): string {
  const { since, until } = rangeOf(filters);
  if (since !== undefined) return rangeWords(filters.values, isHour(filters) ? undefined : went);
  return until === undefined ? rangeWords({ range: 'week' }) : 'in the 7 days before';
}
