import * as z from 'zod/mini';
import {
  MAX_BATCH,
  MAX_DEVICES,
  MAX_LIST,
  MAX_NAME,
  MAX_TOKEN,
  MAX_TRAITS,
  USER_TOKEN_SECONDS,
} from '../limits.ts';
import {
  about,
  after,
  beyond,
  bounded,
  fields,
  instant,
  locale,
  name,
  named,
  next,
  pattern,
  requestId,
  scalar,
  time,
  timeZone,
} from '../parts.ts';
import { runId } from './events.ts';
import { MESSAGE_OUTCOMES } from './messages.ts';
import { CHANNELS } from './notifications.ts';

const Device = named(
  'Device',
  'A device that can be reached.',
  z.strictObject({
    channel: about('Delivery channel of the device.', z.literal('push')),
    token: about(
      'Registration token of the app on the device. Stored encrypted and never returned.',
      bounded(1, MAX_TOKEN),
    ),
  }),
);

/** What consent is about: a channel or `*`, then a category. */
const CONSENT_SCOPE = new RegExp(`^(\\*|${CHANNELS.join('|')})(/[^/\\x00]{1,${MAX_NAME}})?$`, 'u');
const MAX_SCOPE = MAX_NAME + 16;
const scopes = (description: string) =>
  about(
    description,
    z.optional(
      z
        .array(
          pattern(
            CONSENT_SCOPE,
            MAX_SCOPE,
            'must be a channel or *, and may name a category: email, email/news, */news',
            ['sms', 'email/news', '*'],
          ),
        )
        .check(z.maxLength(MAX_LIST)),
    ),
  );
const consent = () => ({
  optIn: scopes(
    'Marketing that the user asks for: `email`, `email/news`, `*/news`, or `*` for everything. Replaces earlier statements within the same scope.',
  ),
  optOut: scopes('Marketing that the user refuses, likewise. Applied after `optIn`.'),
});

/** A field that null clears. */
const clearable = <T extends z.ZodMiniType>(schema: T) => z.optional(z.nullable(schema));
const addresses = (description: string) =>
  about(
    `${description} Stored encrypted and never returned.`,
    clearable(z.array(bounded(1, MAX_NAME)).check(z.maxLength(MAX_LIST))),
  );

export const User = named(
  'User',
  'A user. What is left out stays as it was, and null clears a field; `traits` are replaced as a whole.',
  z.strictObject({
    userId: about('Identifier of the user, in your own terms.', name()),
    name: about('Name of the person. Stored encrypted and never returned.', clearable(bounded(0, MAX_NAME))),
    phone: about('Phone number. Stored encrypted and never returned.', clearable(bounded(0, MAX_NAME))),
    accountNumber: about(
      'Account number. Stored encrypted and never returned.',
      clearable(bounded(0, MAX_NAME)),
    ),
    timeZone: about('IANA time zone, by which the days of the user are counted.', clearable(timeZone())),
    locale: about('Locale of the user (BCP 47).', clearable(locale())),
    traits: about(
      'What else is known of the user, with names of your own. Stored encrypted and never returned.',
      clearable(fields(scalar(), MAX_TRAITS)),
    ),
    phones: addresses('Further phone numbers, the preferred one first. Replaces the list.'),
    emails: addresses(
      'E-mail addresses, the preferred one first. Replaces the list; the trait `email` is another one.',
    ),
    devices: about(
      'Devices to add. A device belongs to the user who was sent with it last.',
      z.optional(z.array(Device).check(z.maxLength(MAX_DEVICES))),
    ),
    ...consent(),
  }),
);
export type User = z.infer<typeof User>;

export const IngestUsersRequest = named(
  'IngestUsersRequest',
  'A batch of users. One user that is not valid refuses the whole batch.',
  beyond(
    z.strictObject({
      users: about('The users.', z.array(User).check(z.minLength(1), z.maxLength(MAX_BATCH))),
    }),
  ),
);
const IdentifiedUser = named(
  'IdentifiedUser',
  'A user with the identifier that the other operations take.',
  z.object({
    userId: about('Identifier of the user, as sent.', z.string()),
    hashId: about('Hashed identifier: stable, and not reversible.', z.string()),
  }),
);
export const IngestUsersAnswer = named(
  'IngestUsersAnswer',
  'The users are stored.',
  beyond(
    z.object({
      users: about('The users, in the order of the request.', z.array(IdentifiedUser)),
      requestId: requestId(),
    }),
  ),
);

const { least, most, default: standard } = USER_TOKEN_SECONDS;
export const CreateUserTokenRequest = named(
  'CreateUserTokenRequest',
  'For how long the token is valid, and what it says to the app.',
  beyond(
    z.strictObject({
      ttlSeconds: about(
        `Validity in seconds; ${standard} if it is left out.`,
        z.optional(z.int().check(z.minimum(least), z.maximum(most))),
      ),
      userId: about(
        'The user in your own terms, if the app tracks events: the token then says it to the app. It must have this hashId.',
        z.optional(name()),
      ),
    }),
  ),
);
export const UserToken = named(
  'UserToken',
  'A token that lets an app with a publishable key act for one user.',
  beyond(
    z.object({
      token: about('The token, for the header X-Service-User-Token.', z.string()),
      expiresAt: time('When it expires.'),
    }),
  ),
);

export const ConsentRequest = named(
  'ConsentRequest',
  'What a user says about marketing. What is left out stays as it was.',
  beyond(z.strictObject(consent())),
);
const statements = (description: string) => about(description, z.array(z.string()));
const consented = () => ({
  optIn: statements('Marketing that the user asked for: channels, `*` for all, with a category after `/`.'),
  optOut: statements('Marketing that the user refused.'),
});
export const ConsentAnswer = named(
  'ConsentAnswer',
  'What the user has said about marketing. The most specific statement holds, then a refusal.',
  beyond(z.object({ ...consented(), requestId: requestId() })),
);

const USER_STATES = ['known', 'erasing'] as const;
const userStatus = named(
  'UserStatus',
  'Whether the user is known, or is being erased: then nothing can be read or sent any more.',
  z.enum(USER_STATES),
);
const Reach = named(
  'Reach',
  'How a user can be reached through a channel.',
  z.object({
    channel: about('The channel.', z.string()),
    addresses: about('Number of addresses or devices.', z.number()),
    bounced: about('Of these, dead ones: nothing is sent to them.', z.number()),
    stopped: about('Of these, ones that refused marketing.', z.number()),
  }),
);
const names = (description: string) => about(description, z.array(z.string()));
export const GetUserAnswer = named(
  'GetUserAnswer',
  'What may be known of a user outside the service: names of fields, never their values.',
  beyond(
    z.object({
      hashId: about('Hashed identifier of the user.', z.string()),
      status: userStatus,
      timeZone: about('Time zone; null if it is not known.', z.nullable(z.string())),
      locale: about('Locale; null if it is not known.', z.nullable(z.string())),
      fields: names('Names of the personal fields that are stored.'),
      traits: names('Names of the traits.'),
      channels: about('How the user can be reached.', z.array(Reach)),
      ...consented(),
    }),
  ),
);
export const ListUsersQuery = z.strictObject({
  since: about('Active from then on.', z.optional(instant())),
  until: about('Active before.', z.optional(instant())),
  active: about(
    'Without users of whom there is only that they were stored or changed.',
    z.optional(z.enum(['true'])),
  ),
  after: after(),
});
const ActiveUser = named(
  'ActiveUser',
  'A user, and when the user was last active.',
  z.object({
    hashId: about('Hashed identifier of the user.', z.string()),
    locale: about('Locale; null if it is not known.', z.nullable(z.string())),
    lastAt: time('When the user was last active.'),
    last: about(
      'What that was: an event, a decision, an outcome of a message, or a change of what is stored of the user.',
      z.enum(['event', 'decision', 'outcome', 'profile']),
    ),
    event: about('Name of that event.', z.optional(z.string())),
    contentId: about(
      'Content of that decision or message; missing where nothing was chosen.',
      z.optional(z.string()),
    ),
    outcome: about('What the user did with that message.', z.optional(z.enum(MESSAGE_OUTCOMES))),
    events: about('Events of the last 90 days, about.', z.int()),
    decisions: about('Decisions.', z.int()),
    channels: about(
      'Channels by which the user can be reached: neither bounced nor stopped. Missing of a user who is not stored.',
      z.optional(z.array(z.string())),
    ),
    optOut: about(
      'Marketing that the user refuses, as in `optOut` of a user.',
      z.optional(z.array(z.string())),
    ),
  }),
);
export const ListUsersAnswer = named(
  'ListUsersAnswer',
  'The users who were active last.',
  beyond(
    z.object({
      users: about('The users, the last active first.', z.array(ActiveUser)),
      active: about(
        'How many different users were active in the range, of what was looked at.',
        z.object({
          byEvents: about('Users of events, of the latest 10,000.', z.int()),
          byDecisions: about('Users of decisions, of the latest 10,000.', z.int()),
          byChanges: about('Users who were stored or changed, up to 10,000.', z.int()),
          capped: about('True if there may be more.', z.boolean()),
        }),
      ),
      next: next(),
    }),
  ),
);
export const DeleteUserAnswer = named(
  'DeleteUserAnswer',
  'The erasure has begun. Personal fields are gone; logs are searched within about a minute, then the user is not found.',
  beyond(
    z.object({
      hashId: about('Hashed identifier of the user.', z.string()),
      status: userStatus,
      requestId: requestId(),
    }),
  ),
);

export const DeleteUsersRequest = named(
  'DeleteUsersRequest',
  'Which users are deleted.',
  beyond(
    z.strictObject({
      run: about('The run of an import that created them.', runId()),
      dryRun: about('Count the users, and delete none.', z.optional(z.boolean())),
    }),
  ),
);
export const UserDeletion = named(
  'UserDeletion',
  'A deletion of the users that a run of an import created, and how far it has come.',
  beyond(
    z.object({
      deletionId: about('Identifier of the deletion.', z.string()),
      dryRun: about('True if the users are counted, and none is deleted.', z.boolean()),
      status: about(
        '`counting` or `deleting` while users are searched, then `done`.',
        z.enum(['counting', 'deleting', 'done']),
      ),
      users: about('Users that were deleted, or would be, so far.', z.int()),
      kept: about('Users that the run created and that stay, because they were used since, so far.', z.int()),
      sample: about(
        'Of a dry run: some of the users that would be deleted, while they are stored.',
        z.array(
          z.object({
            userId: about('Identifier of the user.', z.string()),
            hashId: about('Hashed identifier of the user.', z.string()),
          }),
        ),
      ),
      requestedAt: time('When it was requested.'),
      endedAt: about('When it ended; null until then.', z.nullable(z.string())),
      runKnown: about(
        'In the answer to the request: whether users that the run created are stored, or it was deleted in the last 30 days.',
        z.optional(z.boolean()),
      ),
      requestId: requestId(),
    }),
  ),
);
