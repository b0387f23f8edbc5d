import * as z from 'zod/mini';
import { about, after, beyond, instant, name, named, next, requestId, time } from '../parts.ts';

export const MESSAGE_FORMATS = ['card', 'modal', 'embedded', 'full-screen'] as const;
const Message = named(
  'Message',
  'A message that waits to be shown to a user.',
  z.object({
    decisionId: about('The decision that chose it.', z.string()),
    contentId: about('The content.', z.string()),
    channel: about('Channel of the decision; null if it named none.', z.nullable(z.string())),
    surface: about('Surface of the decision; null if it named none.', z.nullable(z.string())),
    format: named('MessageFormat', 'How a message is shown.', z.enum(MESSAGE_FORMATS)),
    title: about('Title.', z.string()),
    body: about('Text.', z.string()),
  }),
);
export const PeekMessagesQuery = z.strictObject({
  surface: about('Only messages for this surface.', z.optional(name())),
  channel: about('Only messages for this channel.', z.optional(name())),
  after: after(),
});
export const ListMessagesQuery = z.extend(PeekMessagesQuery, {
  hashId: about('Hashed identifier of the user.', name()),
});
export const ListMessagesAnswer = named(
  'ListMessagesAnswer',
  'A page of the pending messages of a user.',
  beyond(z.object({ messages: about('The messages.', z.array(Message)), next: next() })),
);

export const PeekMessagesAnswer = named(
  'PeekMessagesAnswer',
  'A page of the pending messages of a user, served or not.',
  beyond(
    z.object({
      messages: about(
        'The messages.',
        z.array(
          named(
            'PeekedMessage',
            'A pending message.',
            z.extend(Message, {
              servedAt: about('When an app first got it; null while none has.', z.nullable(z.string()), {
                format: 'date-time',
              }),
            }),
          ),
        ),
      ),
      next: next(),
    }),
  ),
);

export const MESSAGE_OUTCOMES = ['opened', 'clicked', 'actioned', 'dismissed'] as const;

export const MESSAGE_STATES = ['waiting', 'served', 'opened', 'tapped', 'dismissed', 'ended'] as const;
const messageState = () =>
  named(
    'MessageState',
    '`waiting` for an app, `served` to one, `opened`, `tapped` (clicked or actioned), `dismissed`, or `ended` without an answer: its time was over, another took its place, or it no longer suited the user.',
    z.enum(MESSAGE_STATES),
  );
export const LatestMessagesQuery = z.strictObject({
  decisionId: about('Only the message of this decision.', z.optional(name())),
  hashId: about('Only messages for this user.', z.optional(name())),
  contentId: about('Only messages of this content.', z.optional(name())),
  surface: about('Only messages of decisions for this surface.', z.optional(name())),
  state: about('Only messages in this state.', z.optional(messageState())),
  since: about('Only messages of decisions from this time on.', z.optional(instant())),
  until: about('Only messages of decisions before this time.', z.optional(instant())),
  after: after(),
});
const LatestMessage = named(
  'LatestMessage',
  'A message, and what became of it.',
  z.object({
    decisionId: about('The decision that chose it.', z.string()),
    hashId: about('Hashed identifier of the user; empty for one who was erased.', z.string()),
    contentId: about('The content.', z.string()),
    at: time('When it was decided.'),
    context: about('Channel, surface and locale of the decision.', z.record(z.string(), z.string())),
    state: messageState(),
    servedAt: about(
      'When an app first got it, or reported what the user did with it; null while none has, and where it is not known: of an answered message whose decision counted before an app had fetched it.',
      z.nullable(z.string()),
      { format: 'date-time' },
    ),
    outcomes: about(
      'What the user did with it, the first first.',
      z.array(
        z.object({
          type: about('What the user did.', z.enum(MESSAGE_OUTCOMES)),
          at: time('When it was reported.'),
        }),
      ),
    ),
  }),
);
export const LatestMessagesAnswer = named(
  'LatestMessagesAnswer',
  'A page of the messages of the workspace, newest first.',
  beyond(z.object({ messages: about('The messages.', z.array(LatestMessage)), next: next() })),
);
export const MessageOutcomeRequest = named(
  'MessageOutcomeRequest',
  'What the user did with a message.',
  beyond(z.strictObject({ type: named('MessageOutcome', 'What the user did.', z.enum(MESSAGE_OUTCOMES)) })),
);
export const OutcomeAnswer = named(
  'OutcomeAnswer',
  'The outcome is stored.',
  beyond(z.object({ requestId: requestId() })),
);
