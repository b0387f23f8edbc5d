import * as z from 'zod/mini';
import { about, after, beyond, name, named, next, requestId } from '../parts.ts';

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
