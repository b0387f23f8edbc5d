import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { offers, svcCommand } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import type { Filters } from '../../data/filters.ts';
import { type Pages, useResource } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { FilterBar, type FilterField } from '../../parts/filter-bar.tsx';
import { count, counted } from '../../parts/numbers.ts';
import { PagedList } from '../../parts/pages.tsx';
import { keptRange, rangeOf } from '../../parts/range.tsx';
import { Empty } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Terms } from '../../parts/term.tsx';
import { Address, Cut, cleaned, Id, Text } from '../../parts/text.tsx';
import { duration, Time } from '../../parts/time.tsx';
import { Box } from '../../parts/view.tsx';
import type { Sending } from './progress.tsx';
import { RetryFailed } from './resend.tsx';
import {
  attemptWords,
  DELIVERY_TONES,
  type Delivery,
  PAGE,
  reasonOf,
  TERMS,
  type Webhook,
} from './webhook-words.ts';

const STATUS: FilterField = {
  name: 'status',
  label: 'State of the deliveries',
  kind: 'choice',
  options: [['', 'All'], ...Object.keys(DELIVERY_TONES).map((state) => [state, state] as const)],
};

/** The deliveries of all subscriptions or of one, and why those that have not arrived did not. */
export function Deliveries(props: {
  pages: Pages<Delivery>;
  failing: ReturnType<typeof useFailing>;
  /** How many wait for an attempt, as stands above; undefined where that is not of the range. */
  waiting: string | undefined;
  webhooks: readonly Webhook[];
  filters: Filters;
  open: (id: string) => void;
  sent: (sending: Sending) => void;
}): VNode {
  const { pages, webhooks, filters, open, sent } = props;
  const { webhookId, status, delivery: openId } = filters.values;
  const { since, until } = rangeOf(filters);
  const { found: failing, error } = props.failing;
  const reason = status === 'delivered' ? undefined : filters.values.reason;
  // Those of a reason are not only among the latest.
  const shown: Pages<Delivery> = reason
    ? {
        ...pages,
        items: (failing?.items ?? []).filter((each) => reasonOf(each) === reason),
        loading: failing === undefined,
        error: error ?? pages.error,
        more: undefined,
      }
    : pages;
  const active = webhooks.filter(({ status }) => status === 'active');
  const isRefused = failing?.items.some((each) => active.some(({ id }) => id === each.webhookId));
  const addresses = webhookId ? undefined : new Map(webhooks.map(({ id, url }) => [id, url]));
  const clear = (
    <button
      type="button"
      class="row-button"
      onClick={() => filters.set({ status: '', range: '', since: '', until: '', reason: '' })}
    >
      Show all
    </button>
  );
  const hidden = [
    status && `that are not ${status}`,
    (since || until) && 'of what happened at other times',
    reason && 'that have not failed for this reason',
  ].filter(Boolean);
  return (
    <Box
      title={deliveriesTitle(shown.items, failing, props.waiting, status, reason)}
      label="Deliveries"
      note={webhookId ? 'to one subscription, the latest first' : 'to all subscriptions, the latest first'}
    >
      <div class="toolbar">
        <FilterBar filters={filters} fields={[STATUS]} />
        {!webhookId && isRefused && offers('redeliverMany') && (
          <RetryFailed active={active} since={since} sent={sent} />
        )}
        <Terms of={TERMS} />
      </div>
      <Reasons of={failing} chosen={reason} filters={filters} />
      {hidden.length > 0 && shown.items.length > 0 && (
        <p class="note">
          Hidden: deliveries {hidden.join(', and those ')}. {clear}
        </p>
      )}
      <PagedList
        what="the deliveries"
        pages={shown}
        empty={
          hidden.length > 0 ? (
            <Empty title={(!reason && NONE[status ?? '']) || 'No deliveries match.'}>
              <p>{clear}</p>
            </Empty>
          ) : (
            <Empty title="No deliveries yet." command={svcCommand('webhooks', 'listen')}>
              <p>
                An outcome of a message or a notification makes one; this shows those that come to your
                machine:
              </p>
            </Empty>
          )
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
            columns={deliveryColumns(open, addresses)}
          />
        )}
      </PagedList>
    </Box>
  );
}

interface Failing {
  readonly items: readonly Delivery[];
  /** There are more than these. */
  readonly more: boolean;
}

/** Reads the latest deliveries that failed or are retried, in the range and the state of the view, again when its list was read again. */
export function useFailing(
  { values }: Filters,
  readAt: number | undefined,
): { found?: Failing; error?: Error } {
  const { webhookId, status } = values;
  const [last, setLast] = useState<{ readonly of: string; readonly found: Failing }>();
  const of = JSON.stringify([webhookId, status, keptRange(values)]);
  const states = (['failed', 'pending'] as const).filter((state) => !status || status === state);
  const { error } = useResource(
    readAt === undefined || states.length === 0 ? undefined : `${of} ${readAt}`,
    async (signal) => {
      const found = await Promise.all(
        states.map((state) => {
          const query = { ...rangeOf({ values }), status: state };
          return webhookId
            ? call('listDeliveries', { params: { id: webhookId }, query, signal })
            : call('listAllDeliveries', { query, signal });
        }),
      );
      const items = found
        .flatMap(({ deliveries }) => deliveries)
        .filter((each) => each.status === 'failed' || reasonOf(each) !== undefined)
        .sort((a, b) => (a.occurredAt < b.occurredAt ? 1 : -1));
      setLast({ of, found: { items, more: found.some(({ next }) => next) } });
    },
  );
  return { ...(last?.of === of && { found: last.found }), ...(error && { error }) };
}

/** Reasons that are counted one by one. */
const MOST_REASONS = 8;

/** Why deliveries have not arrived, the most frequent reason first; each lists its own. */
function Reasons(props: {
  of: Failing | undefined;
  chosen: string | undefined;
  filters: Filters;
}): VNode | null {
  const { of, chosen, filters } = props;
  const counts = new Map<string, number>();
  for (const each of of?.items ?? []) {
    const reason = reasonOf(each);
    if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  if (counts.size === 0) return null;
  const sorted = [...counts].sort((a, b) => b[1] - a[1]);
  const rest = sorted.slice(MOST_REASONS);
  return (
    <ul class="reason-chips" aria-label="Why they have not arrived">
      {sorted.slice(0, MOST_REASONS).map(([reason, n]) => (
        <li key={reason}>
          <button
            type="button"
            aria-pressed={reason === chosen}
            title={cleaned(reason)}
            onClick={() => filters.set({ reason: reason === chosen ? '' : reason })}
          >
            <strong>{count(n)}</strong> <Cut of={reason} long />
          </button>
        </li>
      ))}
      <li class="note">
        {rest.length > 0 && `and ${counted(rest.length, 'other reason')}; `}
        by their latest attempts{of!.more && ', of the latest 100 in each state'}
      </li>
    </ul>
  );
}

/** What an empty list of a state says. */
const NONE: Readonly<Record<string, string>> = {
  pending: 'No pending deliveries.',
  delivered: 'No delivery has arrived.',
  failed: 'No failed deliveries.',
};

const OF_STATE: Readonly<Record<string, string>> = {
  pending: 'that are pending',
  delivered: 'that arrived',
  failed: 'that were given up',
};

/** What became of the deliveries that are listed, or which of them are. */
function deliveriesTitle(
  listed: readonly Delivery[],
  failing: Failing | undefined,
  waiting: string | undefined,
  status: string | undefined,
  reason: string | undefined,
): string {
  const n = (state: Delivery['status']) => listed.filter((each) => each.status === state).length;
  const all = `the latest ${counted(listed.length, 'delivery', 'deliveries')}`;
  if (listed.length === 0) return 'Deliveries';
  if (reason)
    return `${counted(listed.length, 'delivery has', 'deliveries have')} not arrived: ${cleaned(reason)}`;
  if (status)
    return `The latest ${counted(listed.length, 'delivery', 'deliveries')} ${OF_STATE[status] ?? ''}`;
  /** How many of a state there are in all: those that are listed, and the latest that were read of it. */
  const inAll = (state: Delivery['status']) => {
    const read = (failing?.items ?? []).filter((each) => each.status === state);
    const of = [...listed.filter((each) => each.status === state), ...read];
    const found = new Set(of.map(({ deliveryId }) => deliveryId)).size;
    return found === 0 ? '0' : `${failing?.more && read.length >= PAGE ? 'at least ' : ''}${count(found)}`;
  };
  const [waits, givenUp] = [waiting ?? inAll('pending'), inAll('failed')];
  const rest = [
    waits !== '0' && `${waits} ${waits === '1' ? 'waits' : 'wait'}`,
    givenUp !== '0' && `${givenUp} ${givenUp === '1' ? 'was' : 'were'} given up`,
  ].filter(Boolean);
  const arrived = n('delivered');
  return `${arrived === listed.length ? 'All' : count(arrived)} of ${all} arrived${rest.length > 0 ? `; in all, ${rest.join(' and ')}` : ''}`;
}

/** `addresses` are those of the subscriptions, where the deliveries of several are listed. */
const deliveryColumns = (
  open: (id: string) => void,
  addresses: ReadonlyMap<string, string> | undefined,
): readonly Column<Delivery>[] => [
  {
    title: 'Event',
    cell: ({ deliveryId, type, webhookId }) => (
      <>
        <button type="button" class="row-button" onClick={() => open(deliveryId)}>
          <Text of={type} />
        </button>
        {addresses && (
          <span class="note narrow">
            <Address of={addresses.get(webhookId) ?? webhookId} />
          </span>
        )}
      </>
    ),
  },
  {
    title: 'State',
    cell: (delivery) => (
      <>
        <Badge tone={DELIVERY_TONES[delivery.status]}>{delivery.status}</Badge>
        <span class="note narrow">
          <Cut of={reasonOf(delivery) ?? ''} />
        </span>
      </>
    ),
  },
  {
    title: 'Latest attempt',
    wide: true,
    cell: ({ attempts }) => {
      const last = attempts.at(-1);
      return last === undefined ? 'none yet' : <Cut of={attemptWords(last)} />;
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
        cell: ({ webhookId }) => <Address of={addresses.get(webhookId) ?? webhookId} />,
      },
  { title: 'Happened', align: 'end', cell: ({ occurredAt }) => <Time at={occurredAt} /> },
];
