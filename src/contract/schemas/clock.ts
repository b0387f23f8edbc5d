import * as z from 'zod/mini';
import { about, beyond, instant, named, time, utc } from '../parts.ts';

export const ClockQuery = z.strictObject({
  until: about('Counts what becomes due until this time.', z.optional(instant())),
});

export const SetClockRequest = named(
  'SetClockRequest',
  'The time to which a test clock moves.',
  z.strictObject({
    now: about('Later than the present of the service, by at most 3,660 days; in UTC.', utc()),
  }),
);

export const Clock = named(
  'Clock',
  'The test clock of the store.',
  beyond(
    z.object({
      now: time('The time of the service.'),
      offsetMs: about('By how much it is later than the time of the machine, in ms.', z.int()),
      movingTo: about(
        'The time to which the clock moves: null once it is there, and what became due is worked off.',
        z.nullable(time('A time.')),
      ),
      due: z.optional(
        about(
          'With `until`: what becomes due until then, in all workspaces. More may follow from it, such as retries.',
          z.object({
            notifications: about('Notifications that are queued or held.', z.int()),
            deliveries: about('Deliveries of webhooks.', z.int()),
            messages: about('Messages that end.', z.int()),
            removed: about(
              'Entries that retention removes.',
              z.object({
                events: about('Events.', z.int()),
                decisions: about('Decisions.', z.int()),
                notifications: about('Notifications.', z.int()),
              }),
            ),
          }),
        ),
      ),
    }),
  ),
);
export type Clock = z.infer<typeof Clock>;
