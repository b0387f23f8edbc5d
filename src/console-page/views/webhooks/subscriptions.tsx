import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import { offers, svcCommand } from '../../data/about.ts';
import { search } from '../../data/api.ts';
import type { Filters } from '../../data/filters.ts';
import { type Receiving, receivingOf } from '../../data/receivers.ts';
import type { Pages } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { count, counted, percent } from '../../parts/numbers.ts';
import { PagedList } from '../../parts/pages.tsx';
import { rangeOf } from '../../parts/range.tsx';
import { Empty } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Address, Cut, Id } from '../../parts/text.tsx';
import { duration, Time } from '../../parts/time.tsx';
import { Box } from '../../parts/view.tsx';
import type { DeliveryTrend } from './attempt-history.tsx';
import { Disabled } from './disabled.tsx';
import type { Sending } from './progress.tsx';
import { Resend } from './resend.tsx';
import { type Delivery, pendingWords, sinceOf, stateOf, type Webhook } from './webhook-words.ts';

/** The subscriptions, each with how its attempts went in the range of time of the view, and what is to do where one is disabled. */
export function Subscriptions(props: {
  webhooks: Pages<Webhook>;
  /** Those of which is known how much waits. */
  known: ReadonlyMap<string, Webhook>;
  /** The latest deliveries that failed or wait for a retry. */
  failing: readonly Delivery[];
  trend: DeliveryTrend | undefined;
  /** The range in words: `in the last 7 days`. */
  when: string;
  filters: Filters;
  sent: (sending: Sending) => void;
}): VNode {
  const { webhooks, known, failing, trend, when, filters, sent } = props;
  const [asking, setAsking] = useState<Webhook>();
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
              columns={columnsOf(trend, when, filters, known, failing, setAsking)}
            />
            <Disabled webhooks={items} sent={sent} />
            {asking && (
              <Resend
                active={[asking]}
                since={rangeOf(filters).since}
                sent={sent}
                close={() => setAsking(undefined)}
              />
            )}
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
  const of = (state: Receiving) => items.filter((each) => receivingOf(each) === state);
  const [failing, retrying] = [of('failing'), of('retrying')];
  /** Which of several it is about. */
  const at = ([first, ...others]: readonly Webhook[]): readonly ComponentChildren[] =>
    items.length === 1
      ? []
      : [' to ', others.length === 0 ? <Address of={first!.url} /> : count(others.length + 1)];
  const but: readonly ComponentChildren[] =
    failing.length > 0
      ? [
          ', but every attempt',
          ...at(failing),
          ' has failed since ',
          <Time at={Math.min(...failing.map(({ failingSince }) => Date.parse(failingSince!)))} />,
        ]
      : retrying.length > 0
        ? [', and the latest attempt', ...at(retrying), ' failed and is retried']
        : oftenFails(items, trend);
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
  known: ReadonlyMap<string, Webhook>,
  failing: readonly Delivery[],
  resend: (webhook: Webhook) => void,
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
            <Address of={url} />
          </a>
          <div class="note">{description ? <Cut of={description} /> : <Id of={id} short />}</div>
        </>
      ),
    },
    {
      title: 'State',
      cell: (webhook) => {
        const [tone, words] = stateOf(webhook);
        const since = sinceOf(webhook);
        return (
          <>
            <Badge tone={tone}>{words}</Badge>
            {since !== undefined && (
              <div class="note">
                since <Time at={since} />
              </div>
            )}
          </>
        );
      },
    },
    {
      title: 'Waiting',
      align: 'end',
      cell: (webhook) => {
        const { pending } = known.get(webhook.id) ?? {};
        if (pending === undefined) return '–';
        // Else what waits may be on its way for the first time.
        const isRetried =
          receivingOf(webhook) !== 'answers' ||
          failing.some(({ webhookId, status }) => webhookId === webhook.id && status === 'pending');
        return (
          <>
            {pendingWords(pending)}
            {pending > 0 && isRetried && webhook.status === 'active' && offers('redeliverMany') && (
              <div>
                <button
                  type="button"
                  class="row-button"
                  aria-label={`Resend to ${webhook.url}`}
                  onClick={() => resend(webhook)}
                >
                  Resend…
                </button>
              </div>
            )}
          </>
        );
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
      wide: true,
      cell: figure((went) => <Success of={went} />),
    },
    {
      title: 'P95',
      note: 'of the answers',
      align: 'end',
      wide: true,
      cell: figure(({ p95Ms }) => time(p95Ms)),
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
  ];
}
