import type { ComponentChildren, VNode } from 'preact';
import type { ConsoleImports } from '../../../contract/console.ts';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import { about } from '../../data/about.ts';
import { search } from '../../data/api.ts';
import type { Refused } from '../../data/refused.ts';
import { count, counted } from '../../parts/numbers.ts';
import { Text } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { Path, rejectedWords } from '../imports/rejects.tsx';
import { failureSentence } from '../notifications/notification-words.ts';
import { type Overview, sinceLately } from './overview.ts';

/** Share of notifications or deliveries that fail from which a person should know. */
const FAILING = 0.1;
/** Fewer failures than this say nothing of a provider or receiver. */
const SOME = 3;
/** Reasons of failed notifications that are named. */
const MOST_CAUSES = 3;
/** Items of a kind. */
export const MOST = 5;
/** Characters of a URL, which has its difference from others at its end. */
export const MOST_URL = 48;
/** A backup older than this is too old, as `svc doctor` has it. */
const OLD_BACKUP_MS = 7 * 86_400_000;
/** How long a reset of the model is new. */
const NEW_RESET_MS = 7 * 86_400_000;

/** How long rejected records are new. */
const NEW_REJECTS_MS = 86_400_000;

/** What needs a person, with where it is seen. */
export interface Item {
  readonly key: string;
  readonly href: string;
  readonly what: ComponentChildren;
}

/** That the model forgot what it had learned, while that is news. */
export function reset(at: string | null): Item[] {
  if (at === null || Date.parse(at) < Date.now() - NEW_RESET_MS) return [];
  const what = (
    <>
      The model forgot what it had learned at <Time at={at} />, as several contents stopped earning what they
      did. It learns from what came since: look at what changed then.
    </>
  );
  return [{ key: 'reset', href: '/catalog', what }];
}

/** True if the last backup is old, or a live workspace has none. */
export const isBackupOld = ({ lastBackupAt: at }: Overview): boolean =>
  at === null ? about.value?.workspace.mode === 'live' : Date.parse(at) < Date.now() - OLD_BACKUP_MS;

/** The last backup, once it is old, or if a live workspace has none. */
export function backup(overview: Overview | undefined): Item[] {
  if (!overview || !isBackupOld(overview)) return [];
  const { lastBackupAt: at } = overview;
  const what = at ? (
    <>
      The last backup was made <Time at={at} />.
    </>
  ) : (
    'No backup was ever made.'
  );
  return [{ key: 'backup', href: '/service', what }];
}

const HOUR_MS = 3_600_000;

/** Triggers of notifications, if many are refused now. */
export function refusedTriggers(overview: Overview | undefined, refused: Refused | undefined): Item[] {
  if (!overview || !refused) return [];
  const { since, rows, n } = refused;
  const [first] = rows;
  const from = Math.floor((Date.parse(since) - Date.parse(overview.from)) / HOUR_MS);
  const taken = Object.values(overview.notifications)
    .flatMap((hours) => hours.slice(Math.max(0, from)))
    .reduce((sum, each) => sum + each, 0);
  const isNews = rows.some(({ lastAt }) => Date.parse(lastAt) > Date.parse(overview.at) - HOUR_MS);
  if (!isNews || n < SOME || n / (n + taken) < FAILING) return [];
  const what = (
    <>
      {count(n)} of the {count(n + taken)} triggers of notifications since <Time at={since} whole /> were
      refused{rows.length > 1 && `, ${count(first!.count)} of them with`}: <Text of={first!.reason} />
    </>
  );
  return [{ key: 'refused', href: '/notifications', what }];
}

type Causes = NonNullable<AnswerOf<'listNotifications'>['failures']>;

/** Notifications and deliveries of this hour and the one before that failed more often than now and then. */
export function failures(overview: Overview | undefined, causes: Causes): Item[] {
  if (!overview) return [];
  const last = (hours: readonly number[]) => hours.slice(-2).reduce((sum, n) => sum + n, 0);
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
      what: (
        <>
          {count(failed)} of the {counted(all, one, many)} since <Time at={sinceLately(overview)} whole />{' '}
          failed
          {key === 'notifications' && causes.length > 0 ? ': ' : '.'}
          {key === 'notifications' &&
            causes.slice(0, MOST_CAUSES).map(({ failure, count: n }, i) => (
              <>
                {i > 0 && ' '}
                <a href={`/notifications${search({ status: 'failed', failure })}`}>
                  {n < failed && `${count(n)}: `}
                  <Text of={failureSentence(failure)} />
                </a>
              </>
            ))}
        </>
      ),
    }));
}

type Imports = ConsoleImports['imports'];

const openImport = (id: string): string => `/imports${search({ open: id })}`;

/** The first file of an import by its name, and how many others it has. */
function Files({ of }: { of: readonly string[] | null }): VNode {
  const [first, ...others] = of ?? [];
  if (first === undefined) return <>an unknown file</>;
  return (
    <>
      <Path of={first} />
      {others.length > 0 && ` and ${counted(others.length, 'other file')}`}
    </>
  );
}

/** Imports that are not finished, or cannot be. */
export const interrupted = (imports: Imports): Item[] =>
  imports
    .filter(({ state }) => state === 'unusable' || state === 'unfinished')
    .slice(0, MOST)
    .map(({ id, state, inputs, acknowledged, left }) => ({
      key: id,
      href: openImport(id),
      what: (
        <>
          The import of <Files of={inputs} />{' '}
          {state === 'unusable' ? 'has a damaged journal' : 'was interrupted and is not finished'}
          {acknowledged !== null && `: ${counted(acknowledged, 'record')} stored`}
          {left !== null && `, ${count(left)} not sent yet`}.
        </>
      ),
    }));

/** Imports of the last day with records that were rejected. */
export const rejections = (imports: Imports): Item[] =>
  imports
    .filter(
      ({ rejectsFile, lastAt }) =>
        rejectsFile !== null && lastAt !== null && Date.parse(lastAt) > Date.now() - NEW_REJECTS_MS,
    )
    .slice(0, MOST)
    .map(({ id, inputs, acknowledged, rejected }) => ({
      key: `rejects ${id}`,
      href: openImport(id),
      what: (
        <>
          The import of <Files of={inputs} />:{' '}
          {rejected && rejected.count > 0 ? rejectedWords(rejected) : 'some'}{' '}
          {rejected?.count === 1 && !rejected.more ? 'record was' : 'records were'} rejected
          {acknowledged !== null && `, ${count(acknowledged)} stored`}.
        </>
      ),
    }));
