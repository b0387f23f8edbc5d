/** The templates of the catalog file. */
import * as z from 'zod/mini';
import { described } from '../../../contract/described.ts';
import { CHANNELS, PRIORITIES } from '../../../contract/schemas.ts';
import { instant, limited, MAX_LOCALES, name } from '../fields.ts';
import { cap, quietHours, validity } from './marketing-schema.ts';

const text = (most: number) => z.string().check(z.minLength(1), z.maxLength(most));
const title = () => z.string().check(z.maxLength(1000));
/** FCM refuses larger data. */
const MAX_DATA = 64;

/** What a template says; every text has placeholders. */
const texts = () => ({
  title: z.optional(
    described(title(), 'Subject of an e-mail, title of a push, where the channel has no part of its own.'),
  ),
  body: z.optional(
    described(
      text(10_000),
      'Text for all channels without a part of their own. {{orderId}} is a variable of the trigger; {{user.name}}, {{user.phone}} and {{user.accountNumber}} are fields of the user; {{user.name|there}} sets a default for a missing or empty value.',
    ),
  ),
  sms: z.optional(described(z.strictObject({ text: text(10_000) }), 'Text of an SMS.')),
  email: z.optional(
    described(
      z.strictObject({
        subject: text(1000),
        text: text(100_000),
        html: z.optional(described(text(500_000), 'HTML. Values are escaped.')),
      }),
      'Subject, text and HTML of an e-mail.',
    ),
  ),
  push: z.optional(
    described(
      z.strictObject({
        title: text(1000),
        body: text(4000),
        data: z.optional(
          described(
            limited(z.record(name(), z.string().check(z.maxLength(4000))), MAX_DATA, 'members'),
            'Data for the app.',
          ),
        ),
      }),
      'Title, body and data of a push message.',
    ),
  ),
  whatsapp: z.optional(
    described(
      z.strictObject({
        name: described(text(512), 'Name of the template that Meta approved.'),
        language: described(text(32), 'Its language, such as en_GB.'),
        parameters: described(
          z.array(text(300)).check(z.maxLength(64)),
          'What fills its parameters, in order: names of variables, or fields such as `user.name|there`.',
        ),
      }),
      'Mapping to a template of WhatsApp.',
    ),
  ),
});

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
  paused: z.optional(
    described(
      z.boolean(),
      'Notifications are held back while paused, and go on after; triggers are accepted.',
    ),
  ),
  activeFrom: z.optional(described(instant(), 'Notifications are held back before this instant.')),
  activeUntil: z.optional(described(instant(), 'Not sent, and triggers are refused, from this instant on.')),
  quietHours: quietHours(),
  cap: cap('of this template'),
  validForMinutes: validity('that of all marketing; no limit for transactional messages'),
  ...texts(),
  locales: z.optional(
    described(
      limited(z.record(z.string().check(z.maxLength(64)), z.strictObject(texts())), MAX_LOCALES, 'locales'),
      'Texts by locale: `de` is used for `de-AT` too, and the texts of the template itself for all others.',
    ),
  ),
});

export type TemplateFile = z.infer<typeof CatalogTemplate>;
