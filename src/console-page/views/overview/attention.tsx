import type { ComponentChildren, VNode } from 'preact';
import type { ConsoleImports, ConsoleLimits } from '../../../contract/console.ts';
import { about, offers } from '../../data/about.ts';
import { ask, call } from '../../data/api.ts';
import { useResource } from '../../data/resource.ts';
import { count, counted, percent } from '../../parts/numbers.ts';
import { Id, Text } from '../../parts/text.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import type { Attempted, Overview } from './overview.ts';

const EVERY_MS = 15_000;
/** Share of a limit, and of notifications or deliveries that fail, from which a person should know. */
const NEARLY = 0.8;
const FAILING = 0.1;
/** Fewer failures than this say nothing of a provider or receiver. */
const SOME = 3;
/** Entries that the model has yet to learn, from which it is late. */
const BEHIND = 1_000;
const MOST = 5;
/** Characters of a URL, which has its difference from others at its end. */
const MOST_URL = 48;
/** Violations of the plan of events that are shown; `svc events plan --status` has all. */
const MOST_PLANNED = 3;
/** A backup older than this is too old, as `svc doctor` has it. */
const OLD_BACKUP_MS = 7 * 86_400_000;
/** How long rejected records are new, and a reset of the model. */
const DAY_MS = 86_400_000;
const NEW_RESET_MS = 7 * DAY_MS;

interface Item {
  readonly key: string;
  readonly href: string;
  readonly what: ComponentChildren;
}

/**
 * What needs a person. `failing` are the subscriptions whose attempts fail. `known` once all has been read or could not be.
 */
export function useAttention(
  overview: Overview | undefined,
  failing: readonly Attempted[],
): { readonly items: readonly Item[]; readonly known: boolean } {
  const hooks = useResource(
    offers('listWebhooks') ? 'webhooks' : undefined,
    (signal) => call('listWebhooks', { signal }),
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
  const known = [hooks, limited, learned, planned, imported].every(
    ({ value, error, loading }) => value !== undefined || error !== undefined || !loading,
  );
  const webhooks = hooks.value?.webhooks;
  const [limits, model, plan, imports] = [
    limited.value,
    learned.value,
    planned.value,
    imported.value?.imports,
  ];
  const disabled = (webhooks ?? []).filter(({ status }) => status !== 'active');
  const stuck = (imports ?? []).filter(({ state }) => state === 'unusable' || state === 'unfinished');
  const guarded = (model?.goals ?? []).flatMap(({ goalId, guard }) =>
    (guard?.takenOut ?? []).map((each) => ({ ...each, goalId })),
  );
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
    ...failing.slice(0, MOST).map(({ webhookId, attempts, delivered }) => ({
      key: `attempts ${webhookId}`,
      href: `/webhooks?webhookId=${encodeURIComponent(webhookId)}&range=hour`,
      what: (
        <>
          {count(attempts - delivered)} of the {counted(attempts, 'attempt')} of the last hour failed at{' '}
          <Id of={webhooks?.find(({ id }) => id === webhookId)?.url ?? webhookId} short={MOST_URL} />.
        </>
      ),
    })),
    ...failures(overview),
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
    ...stuck.slice(0, MOST).map(({ id, state, inputs }) => ({
      key: id,
      href: `/imports?open=${encodeURIComponent(id)}`,
      what: (
        <>
          The import of <Text of={inputs?.join(', ') ?? 'an unknown file'} />{' '}
          {state === 'unfinished' ? 'was interrupted and is not finished.' : 'has a damaged journal.'}
        </>
      ),
    })),
  ];
  const rejected = (imports ?? []).filter(
    ({ rejectsFile, lastAt }) =>
      rejectsFile !== null && lastAt !== null && Date.parse(lastAt) > Date.now() - DAY_MS,
  );
  items.push(
    ...rejected.slice(0, MOST).map(({ id, inputs }) => ({
      key: `rejects ${id}`,
      href: `/imports?open=${encodeURIComponent(id)}`,
      what: (
        <>
          Records of <Text of={inputs?.join(', ') ?? 'an import'} /> were rejected.
        </>
      ),
    })),
  );
  return { items, known };
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

/** That the model forgot what it had learned, while that is news. */
function reset(at: string | null): Item[] {
  if (at === null || Date.parse(at) < Date.now() - NEW_RESET_MS) return [];
  const what = (
    <>
      The model forgot what it had learned at <Time at={at} />, as several contents stopped earning what they
      did. It learns from what came since: look at what changed then.
    </>
  );
  return [{ key: 'reset', href: '/catalog', what }];
}

/** The last backup, once it is old, or if a live workspace has none. */
function backup(overview: Overview | undefined): Item[] {
  if (!overview) return [];
  const { lastBackupAt: at } = overview;
  const isOld =
    at === null ? about.value?.workspace.mode === 'live' : Date.parse(at) < Date.now() - OLD_BACKUP_MS;
  if (!isOld) return [];
  const what = at ? (
    <>
      The last backup was made <Time at={at} />.
    </>
  ) : (
    'No backup was ever made.'
  );
  return [{ key: 'backup', href: '/service', what }];
}

/** Notifications and deliveries of the last hour that failed more often than now and then. */
function failures(overview: Overview | undefined): Item[] {
  if (!overview) return [];
  const last = (hours: readonly number[]) => hours.at(-1) ?? 0;
  const { notifications, deliveries } = overview;
  const items = [
    {
      key: 'notifications',
      href: '/notifications?status=failed',
      failed: last(notifications.failed),
      ended: last(notifications.failed) + last(notifications.delivered) + last(notifications.dispatched),
      all: Object.values(notifications).reduce((sum, hours) => sum + last(hours), 0),
      one: 'notification',
      many: 'notifications',
    },
    {
      key: 'deliveries',
      href: '/webhooks?status=failed',
      failed: last(deliveries.failed),
      ended: last(deliveries.failed) + last(deliveries.delivered) + last(deliveries.pending),
      all: last(deliveries.failed) + last(deliveries.delivered) + last(deliveries.pending),
      one: 'delivery',
      many: 'deliveries',
    },
  ];
  return items
    .filter(({ failed, ended }) => failed >= SOME && failed / ended >= FAILING)
    .map(({ key, href, failed, all, one, many }) => ({
      key,
      href,
      what: `${count(failed)} of the ${counted(all, one, many)} of the last hour failed.`,
    }));
}
