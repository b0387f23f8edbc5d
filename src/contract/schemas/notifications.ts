import * as z from 'zod/mini';
import { MAX_SEND_AHEAD_DAYS, MAX_VARIABLES } from '../limits.ts';
import {
  about,
  after,
  beyond,
  bounded,
  fields,
  instant,
  name,
  named,
  next,
  requestId,
  text,
  time,
} from '../parts.ts';

export const CHANNELS = ['whatsapp', 'sms', 'email', 'push'] as const;
export const PRIORITIES = ['transactional', 'marketing'] as const;

export const TriggerRequest = named(
  'TriggerRequest',
  'Triggers a notification. It contains no personal data: the service adds it.',
  z.strictObject({
    hashId: about('Hashed identifier of the user, from `POST /v1/users`.', name()),
    templateId: about('Template of the catalog.', name()),
    channel: named('Channel', 'Delivery channel.', z.enum(CHANNELS)),
    variables: about('Values of the variables of the template.', z.optional(fields(text(), MAX_VARIABLES))),
    priority: z.optional(
      named(
        'Priority',
        'What a notification is for. Default: what the template says, or else `marketing`.',
        z.enum(PRIORITIES),
      ),
    ),
    sendAt: beyond(
      about(
        `When to send it, at most ${MAX_SEND_AHEAD_DAYS} days ahead. Default: at once. Consent, caps and quiet hours are checked then.`,
        z.optional(instant()),
      ),
    ),
  }),
);
export type TriggerRequest = z.infer<typeof TriggerRequest>;

export const NOTIFICATION_STATES = [
  'queued',
  'held',
  'dispatched',
  'delivered',
  'failed',
  'cancelled',
] as const;
const HOLD_REASONS = ['send_at', 'paused', 'scheduled', 'quiet_hours', 'day_cap', 'week_cap'] as const;
const status = named('NotificationStatus', 'State of a notification.', z.enum(NOTIFICATION_STATES));

export const TriggerAnswer = named(
  'TriggerAnswer',
  'The notification is queued, or held until the time at which it is to be sent.',
  beyond(
    z.object({
      notificationId: about('Identifier of the notification.', z.string()),
      status,
      sendAt: beyond(z.optional(time('When it is to be sent; missing for at once.'))),
      requestId: requestId(),
    }),
  ),
);
const DELIVERY_REASONS = [
  'confirmed by the provider',
  'accepted by the provider',
  'written to the outbox: test workspace',
  'written to the outbox: no provider',
] as const;
const NotificationTransition = named(
  'NotificationTransition',
  'A state that a notification entered.',
  z.object({
    status,
    at: time('When it entered the state.'),
    reason: z.optional(
      named(
        'StateReason',
        'Why it is held back: the time to send it has not come, its template is paused or not active yet, quiet hours of the user, or a cap on marketing. Or how `delivered` is known: by a receipt, or, where there are none, because the provider accepted it, or because it was written to the outbox, and no provider was called.',
        z.enum([...HOLD_REASONS, ...DELIVERY_REASONS]),
      ),
    ),
  }),
);
export const Notification = named(
  'Notification',
  'The delivery record of a notification.',
  beyond(
    z.object({
      notificationId: about('Identifier of the notification.', z.string()),
      hashId: about('Hashed identifier of the user.', z.string()),
      templateId: about('Template of the notification.', z.string()),
      channel: about('Delivery channel.', z.string()),
      priority: about('What it is for: `transactional` or `marketing`.', z.string()),
      status,
      history: about('The states so far, oldest first.', z.array(NotificationTransition)),
      sentBy: beyond(
        about(
          'What took it, once it is `delivered`: `outbox` if no provider was called, because the workspace is a test one or the channel has no provider.',
          z.optional(z.enum(['provider', 'outbox'])),
        ),
      ),
      sendAt: beyond(z.optional(time('When it was to be sent; missing for at once.'))),
      heldUntil: beyond(
        z.optional(
          time('When a notification that is held back is looked at again: it is sent then, or held on.'),
        ),
      ),
      failure: beyond(
        about(
          'Why the notification failed, in words: `no_address` if the channel cannot reach the user, `uncertain: …` if it may have been sent, `suppressed: …` if the user or a bounce forbids it.',
          z.optional(z.string()),
        ),
      ),
    }),
  ),
);
export const ListNotificationsQuery = z.strictObject({
  hashId: about('Only notifications to this user.', z.optional(name())),
  status: about('Only notifications in this state.', z.optional(z.enum(NOTIFICATION_STATES))),
  failure: about(
    'Only notifications that failed for this reason, as `failure` has it.',
    z.optional(bounded(1, 1000)),
  ),
  since: about('Only notifications triggered from this time on.', z.optional(instant())),
  until: about('Only notifications triggered before this time.', z.optional(instant())),
  after: after(),
});
export const ListNotificationsAnswer = named(
  'ListNotificationsAnswer',
  'A page of the notifications, newest first.',
  beyond(
    z.object({
      notifications: about('The notifications.', z.array(Notification)),
      counts: about(
        'How many notifications of the same user and times are in each state, each counted up to 5,000 (of a user, the latest 5,000); on the first page.',
        z.optional(
          z.object({
            queued: about('About to be sent.', z.int()),
            held: about('Held until later.', z.int()),
            dispatched: about('Taken by a provider that has not said more.', z.int()),
            delivered: about('Delivered.', z.int()),
            failed: about('Failed.', z.int()),
            cancelled: about('Cancelled.', z.int()),
          }),
        ),
      ),
      failures: about(
        'Why notifications of the same user and times failed, of the latest 5,000 that did; the 20 most frequent reasons, on the first page.',
        z.optional(
          z.array(
            z.object({
              failure: about('The reason.', z.string()),
              count: about('How many failed for it.', z.int()),
            }),
          ),
        ),
      ),
      next: next(),
    }),
  ),
);
export const CancelNotificationAnswer = named(
  'CancelNotificationAnswer',
  'What became of a notification of which nothing is sent any more.',
  beyond(
    z.object({
      status: about('Its state: `cancelled`, unless it had ended or is on its way.', status),
      sentBefore: about('False if nothing of it left. True if a provider took it, or may have.', z.boolean()),
      requestId: requestId(),
    }),
  ),
);
export const NOTIFICATION_OUTCOMES = ['opened', 'clicked'] as const;
export const NotificationOutcomeRequest = named(
  'NotificationOutcomeRequest',
  'What the user did with a notification.',
  beyond(
    z.strictObject({
      type: named('NotificationOutcome', 'What the user did.', z.enum(NOTIFICATION_OUTCOMES)),
    }),
  ),
);
