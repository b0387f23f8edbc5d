import * as z from 'zod/mini';
import { MAX_BATCH } from '../limits.ts';
import { about, beyond, fields, name, named, requestId, scalar, time, utc } from '../parts.ts';

export const Event = named(
  'Event',
  'What a user did.',
  z.strictObject({
    userId: about('Identifier of the user, in your own terms.', name()),
    event: about('Name of the event.', name()),
    timestamp: about('When it happened, in UTC.', utc()),
    properties: about('Properties of the event, with names of your own.', z.optional(fields(scalar()))),
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
  beyond(z.object({ accepted: about('Number of events stored.', z.int()), requestId: requestId() })),
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
      receivedAt: time('When the service received it.'),
    }),
  ),
);
