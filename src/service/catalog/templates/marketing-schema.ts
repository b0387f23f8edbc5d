/** When marketing is sent: the part of the catalog file for quiet hours, caps and consent. */
import * as z from 'zod/mini';
import { described } from '../../../contract/described.ts';
import { timeZone } from '../../../contract/parts.ts';
import { minutesOfDay } from '../../../kit/time/quiet-hours.ts';
import { minutes, name } from '../fields.ts';

const timeOfDay = () =>
  z.string().check(
    z.maxLength(5, { abort: true }),
    z.refine((text) => minutesOfDay(text) !== undefined, { error: 'must be a time of day, such as 21:30' }),
  );
/** Minimum minutes per day in which sending is allowed. */
const MIN_SENDING_MINUTES = 60;
const QuietHours = z
  .strictObject({
    from: described(timeOfDay(), 'The first minute, such as 21:00.'),
    until: described(timeOfDay(), 'The end, such as 08:00: also on the next day.'),
  })
  .check(
    z.refine(
      ({ from, until }) => {
        const loud = ((minutesOfDay(from) ?? 0) - (minutesOfDay(until) ?? 0) + 1440) % 1440;
        return loud >= MIN_SENDING_MINUTES;
      },
      { error: 'must leave at least an hour of every day in which messages are sent' },
    ),
  );
export const quietHours = () =>
  z.optional(
    described(
      z.nullable(QuietHours),
      'Marketing is held back in these hours of the user’s time zone; null: at no time.',
    ),
  );
const most = () => z.int().check(z.minimum(1), z.maximum(1000));
export const cap = (of: string) =>
  z.optional(
    described(
      z
        .strictObject({
          perDay: z.optional(described(most(), 'On a calendar day of the user.')),
          perWeek: z.optional(described(most(), 'On seven calendar days of the user in a row.')),
        })
        .check(
          z.refine(({ perDay, perWeek }) => perDay !== undefined || perWeek !== undefined, {
            error: 'needs perDay or perWeek',
          }),
        ),
      `At most so many marketing messages ${of} to a user.`,
    ),
  );
export const validity = (unless: string) =>
  z.optional(
    described(minutes(), `Not sent later than so long after it was triggered; left out: ${unless}.`),
  );

const MarketingCategory = z.strictObject({
  quietHours: quietHours(),
  cap: cap('of the category'),
  requireOptIn: z.optional(
    described(z.boolean(), 'Only for users who opted in; left out: as for all marketing.'),
  ),
});
/** Categories with rules of their own, at most. */
const MAX_CATEGORIES = 256;
const MarketingCategories = z.record(name(), MarketingCategory).check(
  z.refine((categories) => Object.keys(categories).length <= MAX_CATEGORIES, {
    error: `has more than ${MAX_CATEGORIES} categories`,
  }),
);
z.globalRegistry.add(MarketingCategories, {
  description: 'Rules of categories of templates, beside those of all marketing.',
  maxProperties: MAX_CATEGORIES,
});

/** Rules of marketing; transactional notifications are exempt. */
export const Marketing = z.strictObject({
  quietHours: quietHours(),
  timeZone: z.optional(described(timeZone(), 'Time zone of users whose own is not known; left out: UTC.')),
  cap: cap(''),
  requireOptIn: z.optional(
    described(z.boolean(), 'Only for users who opted in; left out: for all who did not opt out.'),
  ),
  validForMinutes: validity('1440 (a day)'),
  categories: z.optional(MarketingCategories),
});

export type MarketingFile = z.infer<typeof Marketing>;
