import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import { svcCommand } from '../../data/about.ts';
import { ApiError, call } from '../../data/api.ts';
import { useFilters } from '../../data/filters.ts';
import { usePages, useResource } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { Bar } from '../../parts/bars.tsx';
import { Cards } from '../../parts/facts.tsx';
import { FilterBar, type FilterField } from '../../parts/filter-bar.tsx';
import { count, counted } from '../../parts/numbers.ts';
import { PagedList, Removed } from '../../parts/pages.tsx';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { Text } from '../../parts/text.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { Timeline } from '../../parts/timeline.tsx';
import { Box } from '../../parts/view.tsx';
import { type Entry, timelineItems } from './timeline-words.tsx';

type User = AnswerOf<'getUser'>;
type FirstPage = Pick<AnswerOf<'getUserTimeline'>, 'contacts' | 'events'>;
type LastPage = Pick<AnswerOf<'getUserTimeline'>, 'eventsRemovedBefore' | 'decisionsRemovedBefore'>;

const KINDS: FilterField = {
  name: 'kinds',
  label: 'What happened',
  kind: 'choice',
  options: [
    ['', 'All'],
    ['event', 'Events'],
    ['decision', 'Decisions'],
    ['message', 'Messages'],
    ['outcome', 'Outcomes'],
    ['notification', 'Notifications'],
  ],
};

const LAST = {
  event: 'the event',
  decision: 'a decision was made',
  message: 'a message was made',
  outcome: 'a message was answered',
  notification: 'a notification was triggered',
} as const;

/** What is known of a user, the contacts against the caps, and one timeline of everything that happened. */
export function UserDetail({ hashId }: { hashId: string }): VNode {
  const filters = useFilters();
  const { kinds } = filters.values;
  const [first, setFirst] = useState<FirstPage>();
  const [last, setLast] = useState<LastPage>({});
  const user = useResource(hashId, (signal) => call('getUser', { params: { hashId }, signal }));
  const timeline = usePages<Entry>(JSON.stringify([hashId, kinds]), async (after, signal) => {
    const answer = await call('getUserTimeline', { params: { hashId }, query: { kinds, after }, signal });
    if (after === undefined) setFirst(answer);
    setLast(answer);
    return answer;
  });
  const unknown = user.error instanceof ApiError && user.error.status === 404;
  // What stands above the timeline comes first, so that nothing jumps.
  if ((!user.value && !user.error) || (!first && !timeline.error)) return <Loading what="the user" />;
  return (
    <>
      {!kinds && timeline.items[0] && (
        <p class="lead">
          Last seen <Ago at={timeline.items[0].at} />: {LAST[timeline.items[0].kind]}
          {timeline.items[0].event !== undefined && (
            <>
              {' '}
              <Text of={timeline.items[0].event} />
            </>
          )}
          .
        </p>
      )}
      {user.value && <UserFacts user={user.value} contacts={first?.contacts ?? []} />}
      {unknown && (
        <p class="note">
          The service stores no fields of this user: it was not imported, or it was erased. Its events are not
          found by its hashId, only by its userId in <a href="/live">Live events</a>, as <code>user:…</code>.
        </p>
      )}
      {user.error && !unknown && <Failure error={user.error} retry={user.reload} />}
      {first?.contacts && <Contacts contacts={first.contacts} />}
      <FilterBar filters={filters} fields={[KINDS]} />
      <PagedList
        what="the timeline"
        pages={timeline}
        empty={
          kinds ? (
            <Empty
              title={
                kinds === 'message'
                  ? 'No message waits: one that was answered is told by its decision and its outcome.'
                  : 'Nothing of this kind has happened.'
              }
            />
          ) : (
            <Empty
              title="Nothing has happened yet."
              command={svcCommand('decide', '--hash-id', hashId, '--channel', 'in-app')}
            >
              <p>Events, decisions and notifications of this user appear here. To make a decision:</p>
            </Empty>
          )
        }
      >
        {(items) => <Timeline label="Timeline" items={timelineItems(items)} />}
      </PagedList>
      <Removed what="events" before={last.eventsRemovedBefore} />
      <Removed what="decisions" before={last.decisionsRemovedBefore} />
      {first?.events?.scannedSince && (
        <p class="note">
          Of events that no rule counts, only those received since <Time at={first.events.scannedSince} /> are
          looked through. All, on the machine of the service:{' '}
          <code>{svcCommand('users', 'export', '--hash-id', hashId)}</code>
        </p>
      )}
    </>
  );
}

type Contacts = NonNullable<FirstPage['contacts']>;

function UserFacts({ user, contacts }: { user: User; contacts: Contacts }): VNode {
  const { status, timeZone, locale, channels, fields, traits, optIn, optOut } = user;
  const list = (values: readonly string[]) => <Text of={values.join(', ') || 'none'} />;
  const today = contacts.find(({ cap }) => cap === null);
  return (
    <Cards
      facts={[
        {
          name: 'State',
          value: <Badge tone={status === 'known' ? 'good' : 'bad'}>{status}</Badge>,
          note: <Text of={[locale, timeZone].filter(Boolean).join(' · ') || 'no locale or time zone'} />,
        },
        {
          name: 'Can be reached by',
          value: list(channels.filter(({ addresses }) => addresses > 0).map(({ channel }) => channel)),
          note: channels.some(({ bounced, stopped }) => bounced + stopped > 0)
            ? channels
                .filter(({ bounced, stopped }) => bounced + stopped > 0)
                .map(({ channel, bounced, stopped }) => `${channel}: ${bounced} bounced, ${stopped} stopped`)
                .join('; ')
            : undefined,
        },
        {
          name: 'Marketing',
          value:
            optOut.length > 0 ? (
              <Badge tone="warn">opted out of {list(optOut)}</Badge>
            ) : optIn.length > 0 ? (
              <>opted in to {list(optIn)}</>
            ) : (
              'not opted in'
            ),
          note:
            optOut.length === 0 ? 'nothing opted out of' : optIn.length > 0 && <>opted in to {list(optIn)}</>,
        },
        ...(today
          ? [{ name: 'Contacts today', value: count(today.used), note: 'messages and notifications' }]
          : []),
        {
          name: 'Stored fields',
          value: list(fields),
          note: <>names only{traits.length > 0 && <>; traits: {list(traits)}</>}</>,
        },
      ]}
    />
  );
}

/** The caps of the catalog, and what counts against them; nothing where it has none. */
function Contacts({ contacts }: { contacts: Contacts }): VNode | null {
  const capped = contacts.flatMap(({ cap, ...rest }) => (cap === null ? [] : [{ ...rest, cap }]));
  if (capped.length === 0) return null;
  const full = capped.filter(({ used, cap }) => used >= cap);
  const least = Math.min(...capped.map(({ used, cap }) => cap - used));
  return (
    <Box
      title={
        full.length > 0
          ? 'Marketing is held back: a cap is reached'
          : `Room for ${counted(least, 'more marketing message')}`
      }
      label="Contacts against the cap"
    >
      <ul class="contacts">
        {capped.map(({ used, cap, windowHours, nextFreeAt }) => (
          <li key={windowHours}>
            <span>
              Marketing <span class="note">in {counted(windowHours / 24, 'calendar day')}</span>
            </span>
            <Bar value={used} max={cap} label={`${used} of ${cap}`} strong={used >= cap} />
            <span class="note">
              {nextFreeAt !== undefined && (
                <>
                  room again at <Time at={nextFreeAt} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Box>
  );
}
