import type { VNode } from 'preact';
import type { ConsoleImports, ConsoleLimits } from '../../../contract/console.ts';
import { about, offers } from '../../data/about.ts';
import { ask, call, search } from '../../data/api.ts';
import { failedHow, failsHow, receivingOf } from '../../data/receivers.ts';
import type { Refused } from '../../data/refused.ts';
import { useResource } from '../../data/resource.ts';
import { count, counted, percent } from '../../parts/numbers.ts';
import { Id, Text } from '../../parts/text.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import {
  backup,
  failures,
  type Item,
  interrupted,
  MOST,
  MOST_URL,
  refusedTriggers,
  rejections,
  reset,
} from './items.tsx';
import { type Overview, sinceLately } from './overview.ts';
import { ReceiverState, readReceiver } from './receivers.tsx';

const EVERY_MS = 15_000;
/** Share of a limit from which a person should know. */
const NEARLY = 0.8;
/** Entries that the model has yet to learn, from which it is late. */
const BEHIND = 1_000;
/** Violations of the plan of events that are shown; `svc events plan --status` has all. */
const MOST_PLANNED = 3;

/** What needed a person when all was last read. */
let lastItems: readonly Item[] | undefined;

/** What needs a person. `known` once all has been read or could not be. */
export function useAttention(
  overview: Overview | undefined,
  refused: Refused | undefined,
): {
  readonly items: readonly Item[];
  readonly known: boolean;
  /** Whether a receiver is failing. */
  readonly fails: boolean;
} {
  const hooks = useResource(
    offers('listWebhooks') ? 'webhooks' : undefined,
    (signal) => call('listWebhooks', { signal }),
    EVERY_MS,
  );
  const webhooks = hooks.value?.webhooks;
  const lastHour = overview?.deliveries.lastHour ?? [];
  const failing = (webhooks ?? []).filter((each) => receivingOf(each) === 'failing').map(({ id }) => id);
  const often = lastHour.filter((each) => failedHow(each)).map(({ webhookId }) => webhookId);
  const asked = [...new Set([...failing, ...often])].slice(0, MOST);
  const read = useResource(
    offers('getWebhook') && asked.length > 0 ? asked.join(' ') : undefined,
    (signal) => Promise.all(asked.map((id) => readReceiver(id, signal))),
    EVERY_MS,
  );
  const tried = useResource(
    offers('getDeliveryTrend') ? 'attempts' : undefined,
    (signal) => call('getDeliveryTrend', { signal }),
    4 * EVERY_MS,
  );
  const receivers = (read.value ?? []).flatMap((each) => each ?? []);
  const since = overview && new Date(sinceLately(overview)).toISOString();
  const isFailing =
    overview !== undefined && failures(overview, []).some(({ key }) => key === 'notifications');
  const failedFor = useResource(
    isFailing && offers('listNotifications') ? since : undefined,
    (signal) => call('listNotifications', { query: { status: 'failed', since }, signal }),
    EVERY_MS,
  );
  const limited = useResource('limits', (signal) => ask<ConsoleLimits>('limits', { signal }), EVERY_MS);
  const learned = useResource(
    offers('getModel') ? 'model' : undefined,
    (signal) => call('getModel', { signal }),
    EVERY_MS,
  );
  const planned = useResource(
    offers('getEventPlan') ? 'eventPlan' : undefined,
    (signal) => call('getEventPlan', { query: { days: '1' }, signal }),
    EVERY_MS,
  );
  const imported = useResource(
    about.value?.machine ? 'imports' : undefined,
    (signal) => ask<ConsoleImports>('imports', { signal }),
    EVERY_MS,
  );
  const known =
    overview !== undefined &&
    [hooks, read, tried, limited, learned, planned, imported, failedFor].every(
      ({ value, error, loading }) => value !== undefined || error !== undefined || !loading,
    );
  const [limits, model, plan, imports] = [
    limited.value,
    learned.value,
    planned.value,
    imported.value?.imports,
  ];
  const disabled = (webhooks ?? []).filter(({ status }) => status !== 'active');
  const guarded = (model?.goals ?? []).flatMap(({ goalId, guard }) =>
    (guard?.takenOut ?? []).map((each) => ({ ...each, goalId })),
  );
  const trend = tried.value?.subscriptions ?? [];
  const oftenFailing = trend
    .filter((each) => failsHow(each) && !receivers.some(({ webhookId }) => webhookId === each.webhookId))
    .flatMap(({ webhookId }) =>
      (webhooks ?? [])
        .filter(({ id, status }) => id === webhookId && status === 'active')
        .map(({ url }) => ({ webhookId, url, state: 'answers' as const, pending: 0 })),
    )
    .slice(0, MOST);
  const items: Item[] = [
    ...guarded.slice(0, MOST).map(({ goalId, contentId, since }) => ({
      key: `guard ${goalId} ${contentId ?? ''}`,
      href: contentId === null ? '/contents' : `/contents/${encodeURIComponent(contentId)}`,
      what: (
        <>
          The guard of <Text of={goalId} /> took{' '}
          {contentId === null ? 'the learned choice' : <Text of={contentId} />} out of choice{' '}
          <Ago at={since} />.
        </>
      ),
    })),
    ...disabled.slice(0, MOST).map(({ id, url, disabledReason }) => ({
      key: id,
      href: `/webhooks?webhookId=${encodeURIComponent(id)}`,
      what: (
        <>
          The subscription of <Id of={url} short={MOST_URL} /> is disabled
          {disabledReason !== undefined && (
            <>
              : <Text of={disabledReason} />
            </>
          )}
          . It gets no deliveries.
        </>
      ),
    })),
    ...[...receivers, ...oftenFailing].map((receiver) => ({
      key: `attempts ${receiver.webhookId}`,
      href: `/webhooks${search({ webhookId: receiver.webhookId, range: 'day' })}`,
      what: (
        <ReceiverState of={receiver} went={trend.find(({ webhookId }) => webhookId === receiver.webhookId)} />
      ),
    })),
    ...refusedTriggers(overview, refused),
    ...failures(overview, failedFor.value?.failures ?? []),
    ...backup(overview),
    ...(overview?.providers ?? [])
      .filter(({ waiting }) => waiting > 0)
      .map(({ channel, waiting, lastSuccessAt }) => ({
        key: `provider ${channel}`,
        href: '/notifications?status=queued',
        what: (
          <>
            The provider of {channel} fails: {counted(waiting, 'notification waits', 'notifications wait')}{' '}
            after three attempts or more, and{' '}
            {lastSuccessAt === null ? (
              'none was taken lately'
            ) : (
              <>
                the last was taken at <Time at={lastSuccessAt} />
              </>
            )}
            .
          </>
        ),
      })),
    ...(limits?.groups ?? []).flatMap(({ group, limit, used }) =>
      limit !== null && used !== null && used / limit >= NEARLY
        ? [
            {
              key: `limit ${group}`,
              href: `/limits?group=${group}`,
              what: `The limit of ${group} is used to ${percent(used / limit)}: ${count(used)} of ${count(limit)} requests.`,
            },
          ]
        : [],
    ),
    ...reset(model?.resetAt ?? null),
    ...(model && model.behind >= BEHIND
      ? [
          {
            key: 'model',
            href: '/contents',
            what: `The model has yet to learn from ${count(model.behind)} outcomes.`,
          },
        ]
      : []),
    ...(plan?.counts ?? [])
      .slice(0, MOST_PLANNED)
      .map(({ event, property, rule, count: times, refused = 0 }) => ({
        key: `plan ${event} ${property} ${rule}`,
        href: `/live?filter=${encodeURIComponent(`event:${JSON.stringify(event)}`)}`,
        what: (
          <>
            Not as planned today, {counted(times + refused, 'time', 'times')}
            {refused > 0 && ` (refused: ${count(refused)})`}: <Text of={event} />
            {property !== null && (
              <>
                , <Text of={property} />
              </>
            )}{' '}
            ({rule}).
          </>
        ),
      })),
    ...interrupted(imports ?? []),
    ...rejections(imports ?? []),
  ];
  if (known) lastItems = items;
  // They are read one after the other: a link would move away from under the pointer that comes back to it.
  return { items: known ? items : (lastItems ?? items), known, fails: failing.length > 0 };
}

/** What needs a person, each with a link to where it is seen. Nothing where all is well. */
export function Attention({ items }: { items: readonly Item[] }): VNode | null {
  if (items.length === 0) return null;
  return (
    <section class="attention" aria-label="Needs you">
      <h2>Needs you</h2>
      <ul>
        {items.map(({ key, href, what }) => (
          <li key={key}>
            {what} <a href={href}>Show</a>
          </li>
        ))}
      </ul>
    </section>
  );
}
