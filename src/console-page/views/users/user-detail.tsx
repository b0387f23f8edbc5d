import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import { svcCommand } from '../../data/about.ts';
import { ApiError, call, type Query, search } from '../../data/api.ts';
import { useFilters } from '../../data/filters.ts';
import { foundBy, isBeginning, NOT_LISTED } from '../../data/find-user.ts';
import { usePages, useResource } from '../../data/resource.ts';
import { Badge } from '../../parts/badge.tsx';
import { Cards } from '../../parts/facts.tsx';
import { FilterBar, type FilterField } from '../../parts/filter-bar.tsx';
import { outcomeWord } from '../../parts/message-life.tsx';
import { count, counted } from '../../parts/numbers.ts';
import { PagedList, Removed } from '../../parts/pages.tsx';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { Text } from '../../parts/text.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { Timeline } from '../../parts/timeline.tsx';
import { inTest, OUTBOX } from '../notifications/notification-words.ts';
import { ContactBox, reachedOf, unreachedWords } from './contact-box.tsx';
import { type Entry, timelineItems } from './timeline-words.tsx';

type User = AnswerOf<'getUser'>;
interface FirstPage
  extends Pick<AnswerOf<'getUserTimeline'>, 'contacts' | 'events' | 'marketing' | 'totals'> {
  /** What the user did last: what is decided and sent is not the user's doing. */
  readonly acted: Entry | undefined;
}
type LastPage = Pick<AnswerOf<'getUserTimeline'>, 'eventsRemovedBefore' | 'decisionsRemovedBefore'>;

/** What the timeline can be narrowed to. */
const GROUPS: readonly (readonly [kinds: string, label: string])[] = [
  ['decision,message,outcome', 'Decisions and messages'],
  ['notification', 'Notifications'],
  ['event', 'Events'],
];

const KINDS: FilterField = {
  name: 'kinds',
  label: 'What happened',
  kind: 'choice',
  options: [['', 'All'], ...GROUPS],
};

/** What is known of a user, the contacts against the caps, and one timeline of everything that happened. */
export function UserDetail({ hashId }: { hashId: string }): VNode {
  const filters = useFilters();
  const { kinds } = filters.values;
  const [first, setFirst] = useState<FirstPage>();
  const [last, setLast] = useState<LastPage>({});
  const user = useResource(hashId, (signal) => call('getUser', { params: { hashId }, signal }));
  const timeline = usePages<Entry>(JSON.stringify([hashId, kinds]), async (after, signal) => {
    const read = (query: Query) => call('getUserTimeline', { params: { hashId }, query, signal });
    // Among many notifications, it may be on no page that is read.
    const [answer, acted] = await Promise.all([
      read({ kinds, after }),
      after === undefined ? read({ kinds: 'event,outcome', limit: 1 }) : undefined,
    ]);
    if (acted) setFirst({ ...answer, acted: acted.items[0] });
    setLast(answer);
    return answer;
  });
  const unknown = user.error instanceof ApiError && user.error.status === 404;
  // What stands above the timeline comes first, so that nothing jumps.
  if ((!user.value && !user.error) || (!first && !timeline.error)) return <Loading what="the user" />;
  const inLive = <a href={`/live${search({ filter: `user:${hashId}` })}`}>Live events</a>;
  const since = first?.events?.scannedSince;
  const removed = (
    <>
      <Removed what="events" before={last.eventsRemovedBefore} />
      <Removed what="decisions" before={last.decisionsRemovedBefore} />
    </>
  );
  if (unknown && !kinds && !timeline.loading && !timeline.error && timeline.items.length === 0)
    return (
      <>
        <Empty
          title={`No user of this id is stored here${isBeginning(foundBy(hashId)) ? `, and ${NOT_LISTED}` : ''}.`}
          command={svcCommand('users', 'import', 'users.csv')}
        >
          <p>
            Nothing was decided or sent for one either. Events of a user who is not stored are in {inLive}{' '}
            alone. To store users:
          </p>
        </Empty>
        {removed}
      </>
    );
  return (
    <>
      {user.value && <UserFacts user={user.value} of={first} />}
      {unknown && (
        <p class="note">
          The service stores no fields of this user: it was not imported, or was erased. Its events are in{' '}
          {inLive} alone.
        </p>
      )}
      {user.error && !unknown && <Failure error={user.error} retry={user.reload} />}
      {first && user.value && <ContactBox user={user.value} of={first} />}
      <div class="toolbar">
        <FilterBar filters={filters} fields={[KINDS]} />
      </div>
      <PagedList
        what="the timeline"
        pages={timeline}
        empty={
          since && first?.totals?.events && (!kinds || kinds === 'event') ? (
            <Empty title="The events of this user are older than those that are listed here." />
          ) : kinds ? (
            <Empty title="Nothing of this kind has happened." />
          ) : (
            <Empty
              title="Nothing has happened yet."
              command={svcCommand('decide', '--hash-id', hashId, '--channel', 'in-app')}
            >
              <p>To make a decision:</p>
            </Empty>
          )
        }
      >
        {(items) => <Timeline label="Timeline" byDay items={timelineItems(items, hashId, !kinds)} />}
      </PagedList>
      {removed}
      {since && (
        <p class="note">
          Events that no rule of the catalog names are listed since <Time at={since} />. {inLive} looks
          further back; all are exported on the machine of the service:{' '}
          <code>{svcCommand('users', 'export', '--hash-id', hashId)}</code>
        </p>
      )}
    </>
  );
}

/** The events and decisions of a user have the names that the list of users has for them: they are the same numbers. */
function UserFacts({ user, of }: { user: User; of: FirstPage | undefined }): VNode {
  const acted = of?.acted;
  const { status, timeZone, locale, fields, traits, optIn, optOut } = user;
  const list = (values: readonly string[]) => <Text of={values.join(', ') || 'none'} />;
  const today = of?.contacts?.find(({ cap }) => cap === null);
  const mustOptIn = of?.marketing?.some(({ reason }) => reason === 'not_opted_in') === true;
  return (
    <Cards
      facts={[
        {
          name: 'Last active',
          value: acted ? <Ago at={acted.at} /> : 'not known',
          note: acted ? <Text of={actedWords(acted)} /> : 'no event or outcome found',
        },
        ...(today
          ? [
              {
                name: 'Contacted today',
                value: counted(reachedOf(today), 'time'),
                note: `${unreachedWords(today) || 'by messages and notifications'}${inTest() ? `; those ${OUTBOX} count` : ''}`,
              },
            ]
          : []),
        {
          name: 'Marketing',
          value:
            optOut.length > 0 ? (
              <Badge tone="warn">opted out of {list(optOut)}</Badge>
            ) : optIn.length > 0 ? (
              <>opted in to {list(optIn)}</>
            ) : mustOptIn ? (
              <Badge tone="warn">not opted in</Badge>
            ) : (
              'not opted out'
            ),
          note:
            optIn.length > 0
              ? optOut.length > 0 && <>opted in to {list(optIn)}</>
              : optOut.length === 0 && `the catalog asks for ${mustOptIn ? 'an' : 'no'} opt-in`,
        },
        ...(of?.totals
          ? [
              { name: 'Events', value: count(of.totals.events), note: 'in 90 days, about' },
              { name: 'Decisions', value: count(of.totals.decisions), note: 'so far' },
            ]
          : []),
        {
          name: 'Personal data',
          value:
            status !== 'known' ? (
              <Badge tone="bad">{status}</Badge>
            ) : fields.length + traits.length === 0 ? (
              'none stored'
            ) : (
              <Text of={[...fields, ...traits].join(', ')} />
            ),
          note: (
            <Text
              of={[locale, timeZone, fields.length + traits.length > 0 && 'values are never shown']
                .filter(Boolean)
                .join(' · ')}
            />
          ),
        },
      ]}
    />
  );
}

/** What a user did: `acted on card_offer`. */
const actedWords = ({ outcome, contentId, templateId, event }: Entry): string =>
  outcome ? `${outcomeWord(outcome)} ${contentId ?? templateId ?? 'a message'}` : (event ?? 'an event');
