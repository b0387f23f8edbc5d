/** The templates of the catalog file. */
import * as z from 'zod/mini';
import { described } from '../../contract/described.ts';
import { CHANNELS, PRIORITIES } from '../../contract/schemas.ts';
import { name } from './fields.ts';
import { cap, quietHours, validity } from './marketing-schema.ts';

export const CatalogTemplate = z.strictObject({
  templateId: described(name(), 'Identifier, as in POST /v1/inform/trigger.'),
  channels: z.optional(
    described(z.array(z.enum(CHANNELS)).check(z.maxLength(16)), 'Channels it may be sent on. Default: all.'),
  ),
  priority: z.optional(
    described(
      z.enum(PRIORITIES),
      'What it is for, where a trigger does not say: transactional messages go first and have no quiet hours and caps. Default: marketing.',
    ),
  ),
  category: z.optional(described(name(), 'Category, for consent and caps of marketing.')),
  quietHours: quietHours(),
  cap: cap('of this template'),
  validForMinutes: validity('that of all marketing; no limit for transactional messages'),
  title: z.optional(described(z.string().check(z.maxLength(1000)), 'Subject of an e-mail, title of a push.')),
  body: described(
    z.string().check(z.minLength(1), z.maxLength(10_000)),
    'Text. {{orderId}} is a variable of the trigger; {{user.name}}, {{user.phone}} and {{user.accountNumber}} are fields of the user; {{user.name|there}} sets a default for a missing value.',
  ),
});
