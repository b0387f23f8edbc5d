import * as z from 'zod/mini';
import { MAX_BATCH, MAX_NAME, MAX_TRAITS, USER_TOKEN_SECONDS } from '../limits.ts';
import {
  about,
  beyond,
  bounded,
  fields,
  locale,
  name,
  named,
  requestId,
  scalar,
  time,
  timeZone,
} from '../parts.ts';

export const User = named(
  'User',
  'A user. What is left out stays as it was; `traits` are replaced as a whole.',
  z.strictObject({
    userId: about('Identifier of the user, in your own terms.', name()),
    name: about('Name of the person. Stored encrypted and never returned.', z.optional(bounded(0, MAX_NAME))),
    phone: about('Phone number. Stored encrypted and never returned.', z.optional(bounded(0, MAX_NAME))),
    accountNumber: about(
      'Account number. Stored encrypted and never returned.',
      z.optional(bounded(0, MAX_NAME)),
    ),
    timeZone: about('IANA time zone, by which the days of the user are counted.', z.optional(timeZone())),
    locale: about('Locale of the user (BCP 47).', z.optional(locale())),
    traits: about(
      'What else is known of the user, with names of your own. Stored encrypted and never returned.',
      z.optional(fields(scalar(), MAX_TRAITS)),
    ),
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
  'For how long the token is valid.',
  beyond(
    z.strictObject({
      ttlSeconds: about(
        `Validity in seconds; ${standard} if it is left out.`,
        z.optional(z.int().check(z.minimum(least), z.maximum(most))),
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
