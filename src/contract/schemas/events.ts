import * as z from 'zod/mini';
import { MAX_FILTER } from '../../kit/event-filter/parse.ts';
import { PLAN_RULES } from '../event-plan.ts';
import { IMPORT_RUN } from '../headers.ts';
import { MAX_BATCH, MAX_EVENT_ID } from '../limits.ts';
import {
  about,
  beyond,
  bounded,
  fields,
  instant,
  name,
  named,
  pattern,
  requestId,
  scalar,
  time,
  utc,
} from '../parts.ts';

export const Event = named(
  'Event',
  'What a user did.',
  z.strictObject({
    userId: about('Identifier of the user, in your own terms.', name()),
    event: about('Name of the event.', name()),
    timestamp: about('When it happened, in UTC.', utc()),
    properties: about('Properties of the event, with names of your own.', z.optional(fields(scalar()))),
    eventId: about(
      'An id of your own. Of the events of a workspace with the same id, the first is stored.',
      z.optional(beyond(bounded(1, MAX_EVENT_ID))),
    ),
  }),
);
export type Event = z.infer<typeof Event>;

export const IngestEventsRequest = named(
  'IngestEventsRequest',
  'A batch of events. One event that is not valid refuses the whole batch.',
  z.strictObject({
    events: about('The events.', z.array(Event).check(z.minLength(1), z.maxLength(MAX_BATCH))),
  }),
);
export const IngestEventsAnswer = named(
  'IngestEventsAnswer',
  'The batch is stored.',
  beyond(
    z.object({
      accepted: about('Number of events, with the repeated ones.', z.int()),
      duplicates: about(
        'Of these, events whose `eventId` an earlier event has, which were not stored. Where events have ids.',
        z.optional(z.int()),
      ),
      requestId: requestId(),
    }),
  ),
);

const origin = () =>
  about(
    'Who sent it, by the key: `client` for an app with a publishable key, `server`; missing where a service does not say it.',
    z.optional(z.enum(['client', 'server'])),
  );

/** The data of a message of the live event stream. */
export const StreamedEvent = named(
  'StreamedEvent',
  'The `data` of a message of the live event stream, as JSON in one line.',
  beyond(
    z.object({
      userId: about('Identifier of the user.', z.string()),
      event: about('Name of the event.', z.string()),
      timestamp: time('When it happened.'),
      properties: about(
        'Properties of the event, as they were sent.',
        z.optional(z.record(z.string(), scalar())),
      ),
      eventId: about('Its id, if it was sent with one.', z.optional(z.string())),
      origin: origin(),
      receivedAt: time('When the service received it.'),
    }),
  ),
);

export const EventPlanQuery = z.strictObject({
  days: about(
    'Counts of so many days (UTC), today included: 1 to 90. Default: 7.',
    z.optional(pattern(/^(?:[1-9]|[1-8]\d|90)$/, 2, 'must be a number of days, 1 to 90', ['7'])),
  ),
});
const planned = (description: string) => about(description, z.nullable(z.string()));
export const EventPlanAnswer = named(
  'EventPlanAnswer',
  'The plan of events in force, and how often events were not as planned.',
  beyond(
    z.object({
      version: about('Version of the catalog that has the plan.', z.int()),
      events: about('Events in the plan; null without a plan.', z.nullable(z.int())),
      violations: planned(
        'What is done with an event that is not as planned: `warn` or `refuse`; null without a plan.',
      ),
      unknownEvents: planned(
        'The same for an event that is not in the plan: `allow`, `warn` or `refuse`; null without a plan.',
      ),
      days: about('Days that were counted.', z.int()),
      counts: about(
        'What was counted, the most frequent first; up to 500.',
        z.array(
          named(
            'EventViolation',
            'Something that events of one name did against the plan.',
            z.object({
              event: about('Name of the event.', z.string()),
              property: about('The property; null for the event as a whole.', z.nullable(z.string())),
              rule: about('What is wrong.', z.enum(PLAN_RULES)),
              count: about('How often among stored events.', z.int()),
              refused: about(
                'How often among events that were refused for it; those of a batch that is sent again count again.',
                z.int(),
              ),
              lastAt: time('When last.'),
            }),
          ),
        ),
      ),
      others: about(
        'The sum of `count` of what is not listed: a workspace has 500 counts a day; what is beyond is counted together.',
        z.int(),
      ),
      othersRefused: about('The sum of `refused` of what is not listed.', z.int()),
    }),
  ),
);
export const runId = () => pattern(IMPORT_RUN, 64, 'must be the id of a run', ['run_3f1c02aa']);

export const DeleteEventsRequest = named(
  'DeleteEventsRequest',
  'Which events are deleted: those for which everything holds that is given. At least one field must be.',
  beyond(
    z.strictObject({
      event: about('Events with this name.', z.optional(name())),
      userId: about('Events of this user.', z.optional(name())),
      since: about('Events that happened from this time on.', z.optional(instant())),
      until: about('Events that happened before this time.', z.optional(instant())),
      run: about('Events that this run of an import sent.', z.optional(runId())),
      filter: about(
        'Events that match, in the language of the filter of `watchEvents`.',
        z.optional(bounded(1, MAX_FILTER)),
      ),
      dryRun: about('Count the events, and delete none.', z.optional(z.boolean())),
    }),
  ),
);
export const EventDeletion = named(
  'EventDeletion',
  'A deletion of events, and how far it has come.',
  beyond(
    z.object({
      deletionId: about('Identifier of the deletion.', z.string()),
      dryRun: about('True if the events are counted, and none is deleted.', z.boolean()),
      status: about(
        '`counting` or `deleting` while events are searched; `settling` once all are deleted, until the counts of events of each user are corrected; `done`.',
        z.enum(['counting', 'deleting', 'settling', 'done']),
      ),
      events: about('Events that were found so far.', z.int()),
      progress: about('The part of the events that was searched, from 0 to 1.', z.number()),
      sample: about(
        'Of a dry run: the first events that were found, while they are stored.',
        z.array(
          z.object({
            userId: about('Identifier of the user.', z.string()),
            event: about('Name of the event.', z.string()),
            timestamp: time('When it happened.'),
            properties: about('Properties of the event.', z.optional(z.record(z.string(), scalar()))),
          }),
        ),
      ),
      requestedAt: time('When it was requested.'),
      endedAt: about('When it ended; null until then.', z.nullable(z.string())),
      runKnown: about(
        'In the answer to a request with `run`: whether events of it are stored, or it was deleted in the last 30 days.',
        z.optional(z.boolean()),
      ),
      requestId: requestId(),
    }),
  ),
);

const position = () => pattern(/^\d{1,15}$/, 15, 'must be the `next` of an earlier frame', ['4711']);

export const WatchEventsQuery = z.strictObject({
  filter: about(
    'Only events that match are shown, such as `user:u-17 amount>100 -source:web`. Terms are joined by AND.',
    z.optional(bounded(0, MAX_FILTER)),
  ),
  after: about('The `next` of an earlier frame: the watch resumes there.', z.optional(position())),
});
const eventNumber = (description: string) => about(description, z.string());
const type = <const T extends string>(name: T) => about('The type of the frame.', z.literal(name));

const WatchReady = named(
  'WatchReady',
  'The first frame of a watch.',
  beyond(z.object({ type: type('ready'), next: eventNumber('Where the watch begins.') })),
);
export const WatchedEvent = named(
  'WatchedEvent',
  'An event that a watch shows.',
  beyond(
    z.object({
      type: type('event'),
      id: eventNumber('The position of the event.'),
      receivedAt: time('When the service received it.'),
      userId: about('Identifier of the user; `***` if it looks personal.', z.string()),
      hashId: about('The same user, hashed with the key of the workspace.', z.optional(z.string())),
      event: about('Name of the event; `***` if it looks personal.', z.string()),
      timestamp: time('When it happened.'),
      properties: about(
        'Its properties. Values and names that look personal are `***`.',
        z.optional(z.record(z.string(), scalar())),
      ),
      eventId: about('Its id, if it was sent with one; `***` if it looks personal.', z.optional(z.string())),
      origin: origin(),
      leftOut: about(
        'Size of the properties in bytes, if they are too long to be shown.',
        z.optional(z.int()),
      ),
    }),
  ),
);
export type WatchedEvent = z.infer<typeof WatchedEvent>;
const count = (description: string) => about(description, z.int());
export const WatchTick = named(
  'WatchTick',
  'What a watch counted since the previous tick.',
  beyond(
    z.object({
      type: type('tick'),
      at: time('When it was sent.'),
      received: count('Events of the workspace.'),
      matched: count('Of these, events that match the filter.'),
      shown: count('Of these, events that were sent. The others exceed what a watch shows a second.'),
      untested: count('Events that were not compared with the filter, because too many may match it.'),
      next: eventNumber('Where a watch with `after` resumes.'),
    }),
  ),
);
export type WatchTick = z.infer<typeof WatchTick>;
export const WatchGap = named(
  'WatchGap',
  'Events that a watch cannot show any more.',
  beyond(
    z.object({
      type: type('gap'),
      from: eventNumber('The first position.'),
      to: eventNumber('The last position.'),
      reason: about(
        '`removed`: they were deleted. `behind`: too many events arrived since. `reset`: the data was replaced.',
        z.enum(['removed', 'behind', 'reset']),
      ),
    }),
  ),
);
export type WatchGap = z.infer<typeof WatchGap>;
/** The data of a frame of a watch; its `type` is also the `event` of the frame. */
export const WatchFrame = z.union([WatchReady, WatchedEvent, WatchTick, WatchGap]);
export type WatchFrame = z.infer<typeof WatchFrame>;
