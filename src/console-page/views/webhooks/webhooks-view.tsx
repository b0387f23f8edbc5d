import type { VNode } from 'preact';
import { flagsOf, offers, svcCommand } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { useFilters } from '../../data/filters.ts';
import { usePages } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { FilterBar, type FilterField } from '../../parts/filter-bar.tsx';
import { percent } from '../../parts/numbers.ts';
import { PagedList } from '../../parts/pages.tsx';
import { Empty, Loading } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Cut, Id, Text } from '../../parts/text.tsx';
import { duration, Time } from '../../parts/time.tsx';
import { Box, ViewHead } from '../../parts/view.tsx';
import { AttemptHistory, statisticsOf } from './attempt-history.tsx';
import { DeliveryPanel } from './delivery-panel.tsx';
import { Disabled } from './disabled.tsx';
import { Performance } from './performance.tsx';
import { RedeliverAll } from './redeliver-all.tsx';
import { RedeliverFailed } from './redeliver-failed.tsx';
import { attemptWords, DELIVERY_TONES, type Delivery, type Webhook } from './webhook-words.ts';

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
  const deliveries = usePages(JSON.stringify([webhookId, status]), async (after, signal) => {
    const query = { status, after };
    const answer = webhookId
      ? await call('listDeliveries', { params: { id: webhookId }, query, signal })
      : await call('listAllDeliveries', { query, signal });
    return { items: answer.deliveries, next: answer.next };
  });
  const addresses = new Map(webhooks.items.map(({ id, url }) => [id, url]));
  const reload = () => {
    webhooks.reload();
    deliveries.reload();
  };
  const head = (
    <ViewHead
      title="Webhooks"
      command={svcCommand(
        'webhooks',
        'deliveries',
        ...(webhookId ? [webhookId] : []),
        ...flagsOf({ status }),
      )}
      readAt={deliveries.readAt}
      refresh={reload}
    />
  );
  const isWaiting = (pages: { loading: boolean; items: readonly unknown[] }) =>
    pages.loading && pages.items.length === 0;
  // What is above comes first, so that nothing jumps.
  if (isWaiting(webhooks) && !webhooks.error)
    return (
      <>
        {head}
        <Loading what="the subscriptions" />
      </>
    );
  return (
    <>
      {head}
      <Box title="Subscriptions">
        <PagedList
          what="the subscriptions"
          pages={webhooks}
          empty={
            <Empty title="No subscriptions." command={svcCommand('webhooks', 'listen')}>
              <p>
                This subscribes a receiver on your machine, and shows each delivery with its signature
                checked:
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
                columns={subscriptionColumns(deliveries.items, webhookId, (id) =>
                  filters.set({ webhookId: id, delivery: '' }),
                )}
              />
              <Disabled webhooks={items.filter(({ id }) => !webhookId || id === webhookId)} />
            </>
          )}
        </PagedList>
      </Box>
      {webhookId && offers('getWebhook') && <Performance key={webhookId} webhookId={webhookId} />}
      <AttemptHistory webhookId={webhookId || undefined} />
      <Box title={webhookId ? 'Deliveries of one subscription' : 'Deliveries of all subscriptions'}>
        <div class="toolbar">
          <FilterBar filters={filters} fields={[STATUS]} />
          {offers('redeliver') && deliveries.items.length > 0 && (
            <RedeliverAll deliveries={deliveries.items} done={deliveries.reload} />
          )}
          {offers('redeliverMany') && webhookId && (
            <RedeliverFailed webhookId={webhookId} done={deliveries.reload} />
          )}
        </div>
        {(webhookId || status) && (
          <p class="note">
            Hidden: deliveries{' '}
            {[webhookId && 'to other subscriptions', status && `that are not ${status}`]
              .filter(Boolean)
              .join(', and those ')}
            .{' '}
            <button
              type="button"
              class="row-button"
              onClick={() => filters.set({ webhookId: '', status: '' })}
            >
              Show all
            </button>
          </p>
        )}
        <PagedList
          what="the deliveries"
          pages={deliveries}
          empty={
            <Empty title="No deliveries match." command={svcCommand('webhooks', 'test')}>
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

function subscriptionColumns(
  deliveries: readonly Delivery[],
  chosen: string | undefined,
  choose: (id: string) => void,
): readonly Column<Webhook>[] {
  return [
    { title: 'Address', cell: ({ url }) => <Cut of={url} /> },
    { title: 'Events', wide: true, cell: ({ events }) => <Cut of={events.join(', ')} /> },
    {
      title: 'State',
      cell: ({ status }) => <Badge tone={status === 'active' ? 'good' : 'bad'}>{status}</Badge>,
    },
    {
      title: 'Succeeded',
      note: 'of listed attempts',
      align: 'end',
      wide: true,
      cell: ({ id }) => {
        const found = statisticsOf(attemptsOf(deliveries, id));
        return found ? percent(found.success) : '–';
      },
    },
    {
      title: 'P95',
      note: 'of listed attempts',
      align: 'end',
      wide: true,
      cell: ({ id }) => {
        const found = statisticsOf(attemptsOf(deliveries, id));
        return found ? duration(found.p95Ms) : '–';
      },
    },
    { title: 'Created', wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      title: 'Deliveries',
      align: 'end',
      cell: ({ id, url }) => (
        <button
          type="button"
          aria-label={id === chosen ? undefined : `Only these: deliveries to ${url}`}
          onClick={() => choose(id === chosen ? '' : id)}
        >
          {id === chosen ? 'Show all' : 'Only these'}
        </button>
      ),
    },
  ];
}

const attemptsOf = (deliveries: readonly Delivery[], id: string) =>
  deliveries.filter(({ webhookId }) => webhookId === id).flatMap(({ attempts }) => attempts);

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
