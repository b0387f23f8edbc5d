import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import { svcCommand } from '../../data/about.ts';
import { ApiError, call } from '../../data/api.ts';
import { useFilters } from '../../data/filters.ts';
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
import { ContactBox } from './contact-box.tsx';
import { type Entry, timelineItems } from './timeline-words.tsx';

type User = AnswerOf<'getUser'>;
type FirstPage = Pick<AnswerOf<'getUserTimeline'>, 'contacts' | 'events' | 'marketing'>;
type LastPage = Pick<AnswerOf<'getUserTimeline'>, 'eventsRemovedBefore' | 'decisionsRemovedBefore'>;

type Counts = NonNullable<AnswerOf<'getUserTimeline'>['counts']>;

/** What the timeline can be narrowed to: its kinds, and those of them that have lines. A waiting message stands in the line of its decision. */
const GROUPS = [
  ['decision,message,outcome', 'Decisions and messages', ['decision', 'outcome']],
  ['notification', 'Notifications', ['notification']],
  ['event', 'Events', ['event']],
] as const satisfies readonly (readonly [kinds: string, label: string, lines: readonly Entry['kind'][]])[];

/** The groups, each with how many entries it has: as many of each kind as a page may have, and more of which that is said. */
function kindsField(counts: Counts | undefined): FilterField {
  const numberOf = (lines: readonly Entry['kind'][]) => {
    const own = (counts ?? []).filter(({ kind }) => lines.includes(kind));
    if (own.length === 0) return '';
    const n = own.reduce((sum, each) => sum + each.count, 0);
    return `${count(n)}${own.some(({ more }) => more) ? '+' : ''}`;
  };
  return {
    name: 'kinds',
    label: 'What happened',
    kind: 'choice',
    options: [
      ['', 'All'],
      ...GROUPS.map(([kinds, label, lines]) => [kinds, label, numberOf(lines)] as const),
    ],
  };
}

/** What is known of a user, the contacts against the caps, and one timeline of everything that happened. */
export function UserDetail({ hashId }: { hashId: string }): VNode {
  const filters = useFilters();
  const { kinds } = filters.values;
  const [first, setFirst] = useState<FirstPage>();
  const [last, setLast] = useState<LastPage>({});
  const [counts, setCounts] = useState<Counts>();
  const user = useResource(hashId, (signal) => call('getUser', { params: { hashId }, signal }));
  const timeline = usePages<Entry>(JSON.stringify([hashId, kinds]), async (after, signal) => {
    const answer = await call('getUserTimeline', { params: { hashId }, query: { kinds, after }, signal });
    if (after === undefined) {
      setFirst(answer);
      if (!kinds) setCounts(answer.counts);
    }
    setLast(answer);
    return answer;
  });
  // A page of one group does not count the others.
  useResource(kinds && counts === undefined ? hashId : undefined, async (signal) => {
    setCounts((await call('getUserTimeline', { params: { hashId }, signal })).counts);
  });
  // What is decided and sent is not the user's doing.
  const lately = useRef<Entry | undefined>(undefined);
  if (!kinds) lately.current = timeline.items.find(({ kind }) => kind === 'event' || kind === 'outcome');
  const acted = lately.current;
  const unknown = user.error instanceof ApiError && user.error.status === 404;
  // What stands above the timeline comes first, so that nothing jumps.
  if ((!user.value && !user.error) || (!first && !timeline.error)) return <Loading what="the user" />;
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
          title="No user of this id is stored here."
          command={svcCommand('users', 'import', 'users.csv')}
        >
          <p>
            Nothing was decided or sent for one either. Check the id, letter by letter: upper and lower case
            differ. Events of a user who is not stored are in <a href="/live">Live events</a> alone, as{' '}
            <code>user:…</code>. To store users:
          </p>
        </Empty>
        {removed}
      </>
    );
  return (
    <>
      {acted && (
        <p class="lead">
          Last active <Ago at={acted.at} />:{' '}
          <Text
            of={
              acted.outcome
                ? `${outcomeWord(acted.outcome)} ${acted.contentId ?? acted.templateId ?? 'a message'}`
                : (acted.event ?? 'an event')
            }
          />
          .
        </p>
      )}
      {user.value && <UserFacts user={user.value} of={first} />}
      {unknown && (
        <p class="note">
          The service stores no fields of this user: it was not imported, or it was erased. Its events are not
          found by its hashId, only by its userId in <a href="/live">Live events</a>, as <code>user:…</code>.
        </p>
      )}
      {user.error && !unknown && <Failure error={user.error} retry={user.reload} />}
      {first && user.value && <ContactBox user={user.value} of={first} />}
      <FilterBar filters={filters} fields={[kindsField(counts)]} />
      <PagedList
        what="the timeline"
        pages={timeline}
        empty={
          kinds ? (
            <Empty title="Nothing of this kind has happened." />
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
        {(items) => <Timeline label="Timeline" byDay items={timelineItems(items, hashId)} />}
      </PagedList>
      {removed}
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

function UserFacts({ user, of }: { user: User; of: FirstPage | undefined }): VNode {
  const { status, timeZone, locale, fields, traits, optIn, optOut } = user;
  const list = (values: readonly string[]) => <Text of={values.join(', ') || 'none'} />;
  const today = of?.contacts?.find(({ cap }) => cap === null);
  const mustOptIn = of?.marketing?.some(({ reason }) => reason === 'not_opted_in') === true;
  return (
    <Cards
      facts={[
        {
          name: 'State',
          value: <Badge tone={status === 'known' ? 'good' : 'bad'}>{status}</Badge>,
          note: <Text of={[locale, timeZone].filter(Boolean).join(' · ') || 'no locale or time zone'} />,
        },
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
            optOut.length > 0
              ? optIn.length > 0 && <>opted in to {list(optIn)}</>
              : optIn.length > 0
                ? 'nothing opted out of'
                : mustOptIn
                  ? 'the catalog asks for an opt-in'
                  : 'the catalog asks for no opt-in',
        },
        ...(today
          ? [
              {
                name: 'Decided today',
                value: counted(today.used, 'contact'),
                note: 'messages, shown or not, and notifications',
              },
            ]
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
