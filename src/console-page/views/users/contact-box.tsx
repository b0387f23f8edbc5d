import type { VNode } from 'preact';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import { Badge } from '../../parts/badge.tsx';
import { Bar } from '../../parts/bars.tsx';
import { count } from '../../parts/numbers.ts';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { Box } from '../../parts/view.tsx';
import { inTest } from '../notifications/notification-words.ts';

type Timeline = AnswerOf<'getUserTimeline'>;
type Contacts = NonNullable<Timeline['contacts']>;
type Marketing = NonNullable<Timeline['marketing']>[number];
type Reach = AnswerOf<'getUser'>['channels'][number];

/** Whether something reaches the user by a channel now: why not, and until when, where a time ends it. */
interface Answer {
  readonly why?: string | undefined;
  readonly until?: string | undefined;
}

const REASONS: Readonly<Record<string, string>> = {
  opted_out: 'opted out',
  not_opted_in: 'not opted in, which the catalog asks for',
  quiet_hours: 'quiet hours',
  day_cap: 'the cap of the day is reached',
  week_cap: 'the cap of the week is reached',
};

/** What the addresses of a channel forbid, for marketing or for all; undefined for nothing. */
function addressWords({ addresses, bounced, stopped }: Reach, marketing: boolean): string | undefined {
  if (addresses === 0) return 'no address';
  if (bounced >= addresses)
    return addresses === 1 ? 'its address bounced' : `all ${addresses} addresses bounced`;
  if (marketing && bounced + stopped >= addresses) return 'the user stopped marketing at this address';
  return undefined;
}

const marketingOf = (reach: Reach, of: Marketing | undefined): Answer => {
  const why = addressWords(reach, true) ?? (of?.reason && (REASONS[of.reason] ?? of.reason));
  return { why, until: addressWords(reach, true) === undefined ? of?.until : undefined };
};

/** How many of the contacts reached the user. */
export const reachedOf = ({ used, failed = 0, waiting = 0 }: Contacts[number]): number =>
  Math.max(0, used - failed - waiting);

/** What of the contacts did not reach the user: `2 more wait, 19 failed`. Empty where all did. */
export const unreachedWords = ({ failed = 0, waiting = 0 }: Contacts[number]): string =>
  [
    waiting > 0 && `${count(waiting)} more ${waiting === 1 ? 'waits' : 'wait'}`,
    failed > 0 && `${count(failed)} ${waiting > 0 ? '' : 'more '}failed`,
  ]
    .filter(Boolean)
    .join(', ');

/** Why the user can or cannot be contacted now, by channel, and the contacts against the caps. */
export function ContactBox(props: {
  user: AnswerOf<'getUser'>;
  of: Pick<Timeline, 'contacts' | 'marketing'>;
}): VNode {
  const { user, of } = props;
  const { contacts = [], marketing } = of;
  const isReachable = user.channels.some(({ addresses }) => addresses > 0);
  const rows = user.channels.map((reach) => ({
    channel: reach.channel,
    marketing: marketingOf(
      reach,
      marketing?.find(({ channel }) => channel === reach.channel),
    ),
    others: { why: addressWords(reach, false) } as Answer,
  }));
  return (
    <Box
      title={
        isReachable ? <Title of={rows} /> : 'No notification reaches this user: no channel has an address'
      }
      label="Whether this user can be contacted now"
      note={`${isReachable ? 'By the rules of the catalog for all marketing: a template or its category may have others. ' : ''}Messages in an app need no address.`}
    >
      <Caps contacts={contacts} />
      {isReachable && (
        <Table
          label="Contact by channel"
          dense
          rows={together(rows)}
          keyOf={({ channel }) => channel}
          columns={[
            { title: 'Channel', cell: ({ channel }) => channel },
            { title: 'Marketing', cell: (row) => <YesOrWhy of={row.marketing} /> },
            { title: 'Transactional', cell: (row) => <YesOrWhy of={row.others} /> },
          ]}
        />
      )}
    </Box>
  );
}

/** By which channels marketing reaches the user, or what it waits for, or why it does not. */
function Title({ of: rows }: { of: readonly { channel: string; marketing: Answer }[] }): VNode {
  const open = rows.filter(({ marketing }) => !marketing.why).map(({ channel }) => channel);
  if (open.length > 0) return <>Marketing reaches this user now by {open.join(', ')}</>;
  const held = rows.filter(({ marketing }) => marketing.until !== undefined);
  const [first] = held.sort((a, b) => (a.marketing.until! < b.marketing.until! ? -1 : 1));
  if (first)
    return (
      <>
        No marketing reaches this user before <Time at={first.marketing.until!} whole />:{' '}
        {first.marketing.why}
      </>
    );
  const reasons = [...new Set(rows.map(({ marketing }) => marketing.why))];
  return (
    <>
      No marketing reaches this user:{' '}
      {reasons.length > 2 ? 'each channel has its reason' : reasons.join(', ')}
    </>
  );
}

function YesOrWhy({ of: { why, until } }: { of: Answer }): VNode {
  if (!why) return <Badge tone="good">yes</Badge>;
  return (
    <span class="why">
      <Badge tone={until === undefined ? 'plain' : 'warn'}>no</Badge> {why}
      {until !== undefined && (
        <>
          {' until '}
          <Time at={until} />
        </>
      )}
    </span>
  );
}

/** Channels of which the same is true are one row. */
function together<T extends { channel: string; marketing: Answer; others: Answer }>(rows: readonly T[]): T[] {
  const found = new Map<string, T>();
  for (const row of rows) {
    const key = JSON.stringify([row.marketing, row.others]);
    const before = found.get(key);
    found.set(key, before ? { ...before, channel: `${before.channel}, ${row.channel}` } : row);
  }
  return [...found.values()];
}

/** The caps of the catalog, with what counts against each, and what counts where a decision has a cap of its own. */
function Caps({ contacts }: { contacts: Contacts }): VNode {
  const capped = contacts.flatMap(({ cap, ...rest }) => (cap === null ? [] : [{ ...rest, cap }]));
  const all = contacts.find(({ cap }) => cap === null);
  return (
    <ul class="contacts" aria-label="Contacts against the cap">
      {capped.map(({ used, cap, windowHours, nextFreeAt }) => (
        <li key={windowHours}>
          <span>
            Marketing <span class="note">{windowHours === 24 ? 'today' : `in ${windowHours / 24} days`}</span>
          </span>
          <Bar value={used} max={cap} label={`${used} of ${cap}`} strong={used >= cap} />
          <span class="note">
            {nextFreeAt === undefined ? (
              used < cap && `${count(cap - used)} left`
            ) : (
              <>
                room again at <Time at={nextFreeAt} />
              </>
            )}
          </span>
        </li>
      ))}
      {capped.length === 0 && (
        <li>
          <span>Marketing</span>
          <span>no cap in the catalog</span>
        </li>
      )}
      {all && (
        <li>
          <span>
            All contacts <span class="note">today</span>
          </span>
          <span>
            <strong>{count(all.used)}</strong>{' '}
            <span class="note">
              in all;{' '}
              {unreachedWords(all) &&
                `${count(reachedOf(all))} reached ${inTest() ? 'the outbox or ' : ''}the user, ${unreachedWords(all)}; `}
              decisions with a cap count {all.used === 1 ? 'it' : 'them'}
            </span>
          </span>
        </li>
      )}
    </ul>
  );
}
