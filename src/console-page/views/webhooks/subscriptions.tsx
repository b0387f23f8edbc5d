import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import { offers, svcCommand } from '../../data/about.ts';
import { search } from '../../data/api.ts';
import type { Filters } from '../../data/filters.ts';
import {
  failedHow,
  failsHow,
  isOver,
  needsPerson,
  type Receiving,
  receivingOf,
} from '../../data/receivers.ts';
import type { Pages } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { count, counted, percent } from '../../parts/numbers.ts';
import { PagedList } from '../../parts/pages.tsx';
import { rangeOf } from '../../parts/range.tsx';
import { Empty } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Address, Cut, Text } from '../../parts/text.tsx';
import { duration, Time } from '../../parts/time.tsx';
import { Box } from '../../parts/view.tsx';
import type { DeliveryTrend } from './attempt-history.tsx';
import { EnableDialog } from './enable.tsx';
import type { Sending } from './progress.tsx';
import { Resend } from './resend.tsx';
import {
  type Delivery,
  isSuccess,
  MOST_WAITING_LISTED,
  pendingWords,
  sinceOf,
  stateOf,
  type Webhook,
} from './webhook-words.ts';

/** The subscriptions, those that need a person first, each with how its attempts went in the range of time of the view, and what is to do. */
export function Subscriptions(props: {
  webhooks: Pages<Webhook>;
  /** Those of which is known what they missed. */
  known: ReadonlyMap<string, Webhook>;
  /** The latest deliveries that failed or wait for a retry. */
  failing: readonly Delivery[];
  /** The listed deliveries. */
  listed: readonly Delivery[];
  trend: DeliveryTrend | undefined;
  /** The range in words: `in the last 7 days`. */
  when: string;
  filters: Filters;
  sent: (sending: Sending) => void;
}): VNode {
  const { webhooks, known, failing, listed, trend, when, filters, sent } = props;
  const [asking, setAsking] = useState<readonly [Asking, Webhook]>();
  const close = () => setAsking(undefined);
  return (
    <Box title={titleOf(webhooks, trend, when)} label="Subscriptions">
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
              rows={mostUrgentFirst(items)}
              keyOf={({ id }) => id}
              columns={columnsOf(trend, when, filters, known, failing, listed, (what, webhook) =>
                setAsking([what, webhook]),
              )}
            />
            {asking?.[0] === 'resend' && (
              <Resend active={[asking[1]]} since={rangeOf(filters).since} sent={sent} close={close} />
            )}
            {asking?.[0] === 'enable' && <EnableDialog webhook={asking[1]} sent={sent} close={close} />}
          </>
        )}
      </PagedList>
    </Box>
  );
}

/** From so many on, a count of what was missed may be more. */
const MOST_MISSED = 100_000;

/** Which active subscription fails most often, if one often does. */
function oftenFails(
  items: readonly Webhook[],
  trend: DeliveryTrend | undefined,
  when: string,
): ComponentChildren[] {
  const [worst] = items
    .flatMap(({ id, url, description, status }) => {
      const went = trend?.subscriptions.find(({ webhookId }) => webhookId === id);
      return went && status === 'active' && failsHow(went)
        ? [{ name: description ?? url, share: went.delivered / went.attempts }]
        : [];
    })
    .sort((a, b) => a.share - b.share);
  if (!worst) return [];
  return [
    `, and ${percent(1 - worst.share)} of the attempts to `,
    <Cut of={worst.name} />,
    ` failed ${when}`,
  ];
}

/** How many there are, and how many of them get nothing. */
function titleOf(
  { items, more }: Pages<Webhook>,
  trend: DeliveryTrend | undefined,
  when: string,
): string | readonly ComponentChildren[] {
  if (items.length === 0) return 'Subscriptions';
  const disabled = items.filter(({ status }) => status === 'disabled').length;
  const all = more
    ? `more than ${counted(items.length, 'subscription')}`
    : counted(items.length, 'subscription');
  const failing = items.filter((each) => needsPerson(receivingOf(each)));
  const retrying = items.filter((each) => receivingOf(each) === 'retrying');
  /** Which of several it is about. */
  const at = ([first, ...others]: readonly Webhook[]): readonly ComponentChildren[] =>
    items.length === 1
      ? []
      : [' to ', others.length === 0 ? <Address of={first!.url} /> : `${count(others.length + 1)} of them`];
  const but: readonly ComponentChildren[] =
    failing.length > 0
      ? [
          ', but every attempt',
          ...at(failing),
          ' has failed since ',
          <Time at={Math.max(...failing.map(({ failingSince }) => Date.parse(failingSince!)))} />,
        ]
      : retrying.length > 0
        ? [
            `, and the latest attempt${retrying.length === 1 ? '' : 's'}`,
            ...at(retrying),
            ` failed and ${retrying.length === 1 ? 'is' : 'are'} retried`,
          ]
        : oftenFails(items, trend, when);
  const [one, every] = but.length === 0 ? ['active', 'all active'] : ['not disabled', 'none disabled'];
  if (disabled === 0) return [items.length === 1 ? `One subscription, ${one}` : `${all}, ${every}`, ...but];
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

/** Those that need a person first. */
const URGENCY: readonly Receiving[] = ['given up', 'failing', 'disabled', 'retrying', 'answers'];

const mostUrgentFirst = (webhooks: readonly Webhook[]): readonly Webhook[] =>
  webhooks.toSorted((a, b) => URGENCY.indexOf(receivingOf(a)) - URGENCY.indexOf(receivingOf(b)));

/** What the badge of a state leaves open; nothing where it says all. */
function StateWords({ of: webhook, went }: { of: Webhook; went: Went | undefined }): VNode | null {
  const since = sinceOf(webhook);
  const at = since !== undefined && (
    <>
      since <Time at={since} />
    </>
  );
  switch (receivingOf(webhook)) {
    case 'answers':
      return went?.lastFailure && isOver(went) && failedHow(went) ? (
        <>
          failed {failedHow(went)} until <Time at={went.lastFailure.before} whole />; the{' '}
          {count(went.lastFailure.delivered)} attempts since arrived
        </>
      ) : null;
    case 'disabled':
      return (
        <>
          {at}: <Text of={webhook.disabledReason ?? 'nobody said why'} />
        </>
      );
    case 'given up':
      return <>all given up {at}</>;
    case 'failing':
      return <>every attempt failed {at}</>;
    case 'retrying':
      return <>{at}</>;
  }
}

/** When the latest attempt succeeded: as a listed delivery has it, or else after the beginning of its step of the trend. */
function LastSuccess(props: { of: Went; trend: DeliveryTrend; listed: readonly Delivery[] }): VNode {
  const { of, trend, listed } = props;
  const step = of.deliveredByStep.findLastIndex((n) => n > 0);
  if (step === -1) return <>none</>;
  const from = Date.parse(trend.from) + step * trend.stepMs;
  const at = Math.max(
    ...listed
      .filter(({ webhookId }) => webhookId === of.webhookId)
      .flatMap(({ attempts }) => attempts.filter(isSuccess).map(({ at }) => Date.parse(at))),
  );
  return at >= from ? (
    <Time at={at} />
  ) : (
    <>
      after <Time at={from} whole />
    </>
  );
}

const waitingOf = ({ pending }: Webhook): string =>
  pending === undefined ? 'not known' : pendingWords(pending, MOST_WAITING_LISTED);

type Asking = 'resend' | 'enable';

function columnsOf(
  trend: DeliveryTrend | undefined,
  when: string,
  { values }: Filters,
  known: ReadonlyMap<string, Webhook>,
  failing: readonly Delivery[],
  listed: readonly Delivery[],
  ask: (what: Asking, webhook: Webhook) => void,
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
  /** True where what waits is retried: else it may be on its way for the first time. */
  const isRetried = (webhook: Webhook) =>
    receivingOf(webhook) !== 'answers' ||
    failing.some(({ webhookId, status }) => webhookId === webhook.id && status === 'pending');
  const nextStep = (webhook: Webhook): readonly [Asking, word: string] | undefined => {
    if (webhook.status === 'disabled') return offers('updateWebhook') ? ['enable', 'Enable'] : undefined;
    if (!offers('redeliverMany') || !isRetried(webhook)) return undefined;
    return receivingOf(webhook) === 'given up' || webhook.pending !== 0 ? ['resend', 'Resend'] : undefined;
  };
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
          {description && (
            <span class="note wide">
              {' '}
              <Cut of={description} />
            </span>
          )}
        </>
      ),
    },
    {
      title: 'State',
      cell: (webhook) => {
        const went = found.get(webhook.id);
        const how = receivingOf(webhook) === 'answers' && went ? failsHow(went) : undefined;
        const [tone, words] = how ? (['warn', `fails ${how}`] as const) : stateOf(webhook);
        return (
          <span class="state-words">
            <Badge tone={tone}>{words}</Badge> <StateWords of={webhook} went={went} />
            {webhook.pending !== 0 && <span class="note narrow">{waitingOf(webhook)} waiting</span>}
          </span>
        );
      },
    },
    {
      title: 'Succeeded',
      note: when,
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
      title: 'Last success',
      align: 'end',
      wide: true,
      cell: figure((went) => <LastSuccess of={went} trend={trend!} listed={listed} />),
    },
    {
      title: 'Waiting',
      note: 'or missed',
      align: 'end',
      wide: true,
      cell: (webhook) => {
        if (webhook.status === 'active') return waitingOf(webhook);
        const { missed } = known.get(webhook.id) ?? {};
        return (
          <>
            {webhook.pending !== 0 && `${waitingOf(webhook)}, `}
            {missed ? (
              <>
                {count(missed.outcomes)}
                {missed.outcomes >= MOST_MISSED && '+'} missed
              </>
            ) : (
              <span title="What the first five missed is counted here">open it to count</span>
            )}
          </>
        );
      },
    },
    {
      title: 'To do',
      align: 'end',
      wide: true,
      cell: (webhook) => {
        const [what, word] = nextStep(webhook) ?? [];
        return (
          what && (
            <button type="button" aria-label={`${word} ${webhook.url}`} onClick={() => ask(what, webhook)}>
              {word}…
            </button>
          )
        );
      },
    },
  ];
}
