import * as z from 'zod/mini';
import { about, beyond, instant, named, next, pageSize, pattern, scalar, time } from '../parts.ts';

/** What a timeline has entries of. */
export const TIMELINE_KINDS = ['event', 'decision', 'message', 'outcome', 'notification'] as const;
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

/** The most entries of a page. */
export const MAX_TIMELINE_PAGE = 200;
const KINDS = new RegExp(`^(${TIMELINE_KINDS.join('|')})(,(${TIMELINE_KINDS.join('|')})){0,4}$`);

export const UserTimelineQuery = z.strictObject({
  kinds: about(
    `Only these kinds, separated by commas: ${TIMELINE_KINDS.join(', ')}.`,
    z.optional(
      pattern(KINDS, 64, `must be a list of ${TIMELINE_KINDS.join(', ')}`, ['decision', 'event,outcome']),
    ),
  ),
  until: about('Only what happened before this time.', z.optional(instant())),
  limit: about(
    `Maximum number of entries on the page, from 1 to ${MAX_TIMELINE_PAGE}; 100 if it is left out. A page may be shorter.`,
    z.optional(pageSize(MAX_TIMELINE_PAGE)),
  ),
  after: about(
    'The `next` of the previous page.',
    z.optional(pattern(/^[\w-]{1,2048}$/, 2048, 'must be the `next` of the previous page', ['eyJ9'])),
  ),
});

const TimelineEntry = named(
  'TimelineEntry',
  'Something that happened to a user, without personal data.',
  z.object({
    kind: about('What it is.', z.enum(TIMELINE_KINDS)),
    at: time('When it happened.'),
    id: about(
      'The decision, also of a message and its outcomes; the notification; the number of an event.',
      z.string(),
    ),
    event: about('Name of an event.', z.optional(z.string())),
    properties: about(
      'Properties of an event. Values and names that look personal are `***`.',
      z.optional(z.record(z.string(), scalar())),
    ),
    leftOut: about('Size of the properties in bytes, if they are too long to be shown.', z.optional(z.int())),
    contentId: about(
      'Chosen content; null if nothing was chosen. That of the message of an outcome.',
      z.optional(z.nullable(z.string())),
    ),
    context: about('Channel, surface and locale.', z.optional(z.record(z.string(), z.string()))),
    policy: about('What made the choice.', z.optional(z.string())),
    reward: about('Reward so far; null while none is due.', z.optional(z.nullable(z.number()))),
    title: about('Title of a waiting message.', z.optional(z.string())),
    format: about('Format of a waiting message.', z.optional(z.string())),
    servedAt: about(
      'When a waiting message was first served; null before.',
      z.optional(z.nullable(z.string())),
    ),
    outcome: about('What the user did.', z.optional(z.string())),
    of: about('What an outcome belongs to.', z.optional(z.enum(['message', 'notification']))),
    templateId: about('Template of a notification, or of that of an outcome.', z.optional(z.string())),
    channel: about('Channel of a notification or message.', z.optional(z.nullable(z.string()))),
    surface: about('Surface of a message.', z.optional(z.nullable(z.string()))),
    priority: about('Priority of a notification.', z.optional(z.string())),
    status: about('State of a notification.', z.optional(z.string())),
    reason: about(
      'Why a notification is held or has failed, or how it is known to be delivered.',
      z.optional(z.string()),
    ),
    heldUntil: about('Until when a notification is held.', z.optional(z.string()), { format: 'date-time' }),
  }),
);

const TimelineContacts = named(
  'TimelineContacts',
  'The contacts with a user that count against a cap.',
  z.object({
    of: about(
      '`all` contacts of the calendar day of the user, against the `maxDailyContacts` of decisions; or `marketing`.',
      z.enum(['all', 'marketing']),
    ),
    used: about('Contacts so far.', z.int()),
    failed: about('Of `all`: how many of these failed.', z.optional(z.int())),
    waiting: about(
      'Of `all`: how many of these have not reached the user yet, such as a message that was not served.',
      z.optional(z.int()),
    ),
    cap: about('The cap; null if each decision names its own.', z.nullable(z.int())),
    windowHours: about('Length of the window in hours, in calendar days of the user.', z.int()),
    nextFreeAt: about(
      'When the next contact is possible; missing while one is.',
      z.optional(time('When the next contact is possible.')),
    ),
  }),
);

const TimelineMarketing = named(
  'TimelineMarketing',
  'Whether marketing is sent to a user now, by the rules of the catalog for all marketing and what the user says.',
  z.object({
    channel: about('The channel.', z.string()),
    verdict: about(
      '`send`, `hold` until a time, or `refuse`. Addresses are not looked at.',
      z.enum(['send', 'hold', 'refuse']),
    ),
    reason: about(
      'Why it is held or refused: `quiet_hours`, `day_cap`, `week_cap`, `opted_out` or `not_opted_in`.',
      z.optional(z.string()),
    ),
    until: about('Until when it is held.', z.optional(z.string()), { format: 'date-time' }),
  }),
);

const TimelineEvents = named(
  'TimelineEvents',
  'Which events the timeline has.',
  z.object({
    counted: about('Names of the events that rules count: all of them are shown.', z.array(z.string())),
    scannedSince: about(
      'Events with other names are shown if they were received since then; null if no older ones are stored.',
      z.nullable(z.string()),
      { format: 'date-time' },
    ),
  }),
);

const TimelineCount = named(
  'TimelineCount',
  'How many entries of a kind a timeline has.',
  z.object({
    kind: about('What they are.', z.enum(TIMELINE_KINDS)),
    count: about('How many there are, counted up to the size of the page.', z.int()),
    more: about('True if there are more.', z.boolean()),
  }),
);

export const UserTimelineAnswer = named(
  'UserTimelineAnswer',
  'A page of the timeline of a user, newest first.',
  beyond(
    z.object({
      items: about('The entries.', z.array(TimelineEntry)),
      contacts: about('Contacts against the caps; on the first page.', z.optional(z.array(TimelineContacts))),
      marketing: about(
        'Whether marketing is sent to the user now, by channel; on the first page.',
        z.optional(z.array(TimelineMarketing)),
      ),
      counts: about(
        'How many entries there are of each kind that is asked for; on the first page.',
        z.optional(z.array(TimelineCount)),
      ),
      totals: about(
        'How much there is of the user, as in the list of users; on the first page.',
        z.optional(
          z.object({
            events: about('Events of the last 90 days, about.', z.int()),
            decisions: about('Decisions.', z.int()),
          }),
        ),
      ),
      events: z.optional(TimelineEvents),
      eventsRemovedBefore: z.optional(
        time('Events received before this time were removed by age; on the last page.'),
      ),
      decisionsRemovedBefore: z.optional(
        time('Decisions from before this time were removed by age, with their outcomes; on the last page.'),
      ),
      next: next(),
    }),
  ),
);
export type TimelineEntry = z.infer<typeof TimelineEntry>;
export type UserTimelineAnswer = z.infer<typeof UserTimelineAnswer>;
