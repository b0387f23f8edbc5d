import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { flagsOf, offers, svcCommand } from '../../data/about.ts';
import { call, search } from '../../data/api.ts';
import { type Filters, useFilters } from '../../data/filters.ts';
import { type Pages, useEvery, usePages, useResource } from '../../data/resource.ts';
import { trendEveryMs } from '../../data/trends.ts';
import { Badge } from '../../parts/badge.tsx';
import { FilterBar, type FilterField } from '../../parts/filter-bar.tsx';
import { useEscape } from '../../parts/focus/escape.ts';
import { Icon } from '../../parts/icons.tsx';
import { count, counted } from '../../parts/numbers.ts';
import { PagedList } from '../../parts/pages.tsx';
import { keptRange, type Range, RangeControl, rangeOf, rangeWords } from '../../parts/range.tsx';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Terms } from '../../parts/term.tsx';
import { Cut, Id, Text } from '../../parts/text.tsx';
import { duration, Time } from '../../parts/time.tsx';
import { Box, ViewHead } from '../../parts/view.tsx';
import { AttemptHistory } from './attempt-history.tsx';
import { DeliveryPanel } from './delivery-panel.tsx';
import { Progress, type Sending } from './progress.tsx';
import { RetryFailed } from './resend.tsx';
import { Subscription } from './subscription.tsx';
import { Subscriptions } from './subscriptions.tsx';
import { attemptWords, DELIVERY_TONES, type Delivery, TERMS, type Webhook } from './webhook-words.ts';

const STATUS: FilterField = {
  name: 'status',
  label: 'State of the deliveries',
  kind: 'choice',
  options: [['', 'All'], ...Object.keys(DELIVERY_TONES).map((state) => [state, state] as const)],
};

/** The subscriptions, and the deliveries of all of them or of one, each with its attempts. */
export function WebhooksView(): VNode {
  const filters = useFilters();
  const { webhookId, status, delivery: openId } = filters.values;
  const webhooks = usePages('webhooks', async (after, signal) => {
    const answer = await call('listWebhooks', { query: { after }, signal });
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
  const { range: attempted, when } = countedRange(filters, oldestOf(webhooks, webhookId));
  const isListed = !webhooks.loading || webhooks.items.length > 0;
  const trend = useResource(isListed ? `${webhookId} ${rangeKey}` : undefined, (signal) =>
    readTrends(attempted, webhookId, signal),
  );
  const { went, webhook } = trend.value ?? {};
  const addresses = new Map(webhooks.items.map(({ id, url }) => [id, url]));
  const [sending, setSending] = useState<Sending>();
  // All is read at once, so that its figures agree.
  const reload = () => {
    webhooks.reload();
    deliveries.reload();
    trend.reload();
  };
  // A list that was read on stays as it is.
  useEvery(trendEveryMs(), () => deliveries.items.length <= PAGE && reload());
  const sent = (begun: Sending) => {
    setSending(begun);
    reload();
  };
  const { route } = useLocation();
  const toAll = `/webhooks${search({ ...filters.values, webhookId: '', delivery: '' })}`;
  useEscape(webhookId && !openId ? () => route(toAll) : undefined);
  const head = (
    <ViewHead
      title="Webhooks"
      command={svcCommand(
        'webhooks',
        'deliveries',
        ...(webhookId ? [webhookId] : []),
        ...flagsOf({ status, ...range }),
      )}
      readAt={deliveries.readAt}
      every={trendEveryMs()}
      refresh={reload}
    />
  );
  // What is above comes first, with its figures, so that nothing jumps.
  const isThere = useRef(false);
  isThere.current ||=
    (!webhooks.loading || webhooks.error !== undefined) && (went !== undefined || trend.error !== undefined);
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
          key={sending.at}
          of={sending}
          ended={() => {
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
          {webhook && (
            <Subscription
              key={webhookId}
              webhook={webhook}
              went={went}
              when={when}
              since={range.since}
              sent={sent}
              reload={reload}
            />
          )}
        </>
      ) : (
        <Subscriptions webhooks={webhooks} trend={went} when={when} filters={filters} sent={sent} />
      )}
      {went && <AttemptHistory of={went} when={when} />}
      {trend.loading && !went && (
        <div class="box wait">
          <Loading what="how the attempts went" />
        </div>
      )}
      <Box
        title={deliveriesTitle(deliveries.items, status)}
        label="Deliveries"
        note={webhookId ? 'to one subscription, the latest first' : 'to all subscriptions, the latest first'}
      >
        <div class="toolbar">
          <FilterBar filters={filters} fields={[STATUS]} />
          {offers('redeliverMany') && (
            <RetryFailed
              webhooks={webhooks.items}
              webhookId={webhookId}
              since={range.since}
              readAt={deliveries.readAt}
              sent={sent}
            />
          )}
          <Terms of={TERMS} />
        </div>
        {(status || range.since || range.until) && (
          <p class="note">
            Hidden: deliveries{' '}
            {[
              status && `that are not ${status}`,
              (range.since || range.until) && 'of what happened at other times',
            ]
              .filter(Boolean)
              .join(', and those ')}
            .{' '}
            <button
              type="button"
              class="row-button"
              onClick={() => filters.set({ status: '', range: '', since: '', until: '' })}
            >
              Show all
            </button>
          </p>
        )}
        <PagedList
          what="the deliveries"
          pages={deliveries}
          empty={
            <Empty
              title={
                webhookId || status || range.since || range.until
                  ? 'No deliveries match.'
                  : 'No deliveries yet.'
              }
              command={svcCommand('webhooks', 'test')}
            >
              <p>An outcome of a message or a notification makes one; a test delivery is sent by:</p>
            </Empty>
          }
        >
          {(items) => (
            <Table
              label="Deliveries"
              dense
              filters={filters}
              rows={items}
              keyOf={({ deliveryId }) => deliveryId}
              current={({ deliveryId }) => deliveryId === openId}
              columns={deliveryColumns(
                (id) => filters.set({ delivery: id }),
                webhookId ? undefined : addresses,
              )}
            />
          )}
        </PagedList>
      </Box>
      {openId && (
        <DeliveryPanel
          key={openId}
          id={openId}
          close={() => filters.set({ delivery: '' })}
          changed={deliveries.reload}
        />
      )}
    </>
  );
}

/** Deliveries that one request reads. */
const PAGE = 100;

/** What the figures above the list are made of, read at once. */
async function readTrends(range: Range, webhookId: string | undefined, signal: AbortSignal) {
  const [went, webhook] = await Promise.all([
    call('getDeliveryTrend', { query: { ...range, webhookId }, signal }),
    webhookId ? call('getWebhook', { params: { id: webhookId }, signal }) : undefined,
  ]);
  return { went, webhook };
}

const OF_STATE: Readonly<Record<string, string>> = {
  pending: 'that are pending',
  delivered: 'that arrived',
  failed: 'that were given up',
};

/** What became of the deliveries that are listed, or which of them are. */
function deliveriesTitle(listed: readonly Delivery[], status: string | undefined): string {
  const n = (state: Delivery['status']) => listed.filter((each) => each.status === state).length;
  const all = `the latest ${counted(listed.length, 'delivery', 'deliveries')}`;
  if (listed.length === 0) return 'Deliveries';
  if (status)
    return `The latest ${counted(listed.length, 'delivery', 'deliveries')} ${OF_STATE[status] ?? ''}`;
  const [pending, failed] = [n('pending'), n('failed')];
  if (pending + failed === 0) return `All of ${all} arrived`;
  return [
    `${count(n('delivered'))} of ${all} arrived`,
    pending > 0 && `${count(pending)} ${pending === 1 ? 'is' : 'are'} retried without you`,
    failed > 0 && `${count(failed)} ${failed === 1 ? 'was' : 'were'} given up`,
  ]
    .filter(Boolean)
    .join(', ');
}

const WEEK_MS = 7 * 86_400_000;

/** When the oldest subscription that is shown was made, Unix ms; 0 where others may be older. */
const oldestOf = ({ items, more }: Pages<Webhook>, webhookId: string | undefined): number => {
  const shown = items.filter(({ id }) => !webhookId || id === webhookId);
  return shown.length === 0 || more ? 0 : Math.min(...shown.map(({ createdAt }) => Date.parse(createdAt)));
};

/**
 * The range over which attempts are counted, which is a week at most, and what it is called. It begins no earlier than
 * the subscriptions that are shown.
 */
function countedRange({ values }: Filters, oldest: number): { readonly range: Range; readonly when: string } {
  const { since, until } = rangeOf({ values });
  if (since !== undefined) return { range: { since, until }, when: rangeWords(values) };
  const end = until === undefined ? Date.now() : Date.parse(until);
  const range = { since: new Date(Math.min(end, Math.max(end - WEEK_MS, oldest))).toISOString(), until };
  return { range, when: until === undefined ? rangeWords({ range: 'week' }) : 'in the 7 days before' };
}

/** `addresses` are those of the subscriptions, where the deliveries of several are listed. */
const deliveryColumns = (
  open: (id: string) => void,
  addresses: ReadonlyMap<string, string> | undefined,
): readonly Column<Delivery>[] => [
  {
    title: 'Event',
    cell: ({ deliveryId, type }) => (
      <button type="button" class="row-button" onClick={() => open(deliveryId)}>
        <Text of={type} />
      </button>
    ),
  },
  { title: 'State', cell: ({ status }) => <Badge tone={DELIVERY_TONES[status]}>{status}</Badge> },
  {
    title: 'Latest attempt',
    wide: true,
    cell: ({ attempts }) => {
      const last = attempts.at(-1);
      return last === undefined ? 'none yet' : <Text of={attemptWords(last)} />;
    },
  },
  {
    title: 'Took',
    align: 'end',
    wide: true,
    cell: ({ attempts }) => {
      const last = attempts.at(-1);
      return last === undefined ? '' : duration(last.durationMs);
    },
    sortBy: ({ attempts }) => attempts.at(-1)?.durationMs ?? -1,
  },
  {
    title: 'Attempts',
    align: 'end',
    wide: true,
    cell: ({ attempts }) => attempts.length,
    sortBy: ({ attempts }) => attempts.length,
  },
  {
    title: 'Next attempt',
    wide: true,
    cell: ({ nextAttemptAt }) => (nextAttemptAt === null ? '' : <Time at={nextAttemptAt} />),
  },
  addresses === undefined
    ? { title: 'Delivery', wide: true, cell: ({ deliveryId }) => <Id of={deliveryId} short /> }
    : {
        title: 'Address',
        wide: true,
        cell: ({ webhookId }) => <Cut of={addresses.get(webhookId) ?? webhookId} />,
      },
  { title: 'Happened', align: 'end', cell: ({ occurredAt }) => <Time at={occurredAt} /> },
];
