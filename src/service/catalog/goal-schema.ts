/** Goals in the catalog file: the results of decisions that the workspace counts, and what is learned of them. */
import * as z from 'zod/mini';
import { described } from '../../contract/described.ts';
import { MAX_FILTER, parseFilter } from '../../kit/event-filter/parse.ts';
import { instant, limited, name } from './fields.ts';

/** Goals of a catalog, at most. */
export const MAX_GOALS = 20;

const MAX_WITHIN_DAYS = 365;
const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A span of time such as `30m`, `12h` or `7d`, in ms; NaN for another text. */
export function spanOf(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  return Number(count) * (UNITS[unit ?? ''] ?? Number.NaN);
}

const names = () => z.array(name()).check(z.minLength(1), z.maxLength(1000));

const Goal = z.strictObject({
  goalId: described(name(), 'Identifier, as in reports and in `settings.reward`.'),
  event: described(name(), 'Name of the event that is counted.'),
  where: z.optional(
    described(
      z.string().check(
        z.maxLength(MAX_FILTER),
        z.superRefine((text, context) => {
          const parsed = parseFilter(text);
          if (!parsed.ok)
            context.addIssue({
              code: 'custom',
              message: `is not a filter: ${parsed.message} (at character ${parsed.at + 1})`,
              input: text,
            });
        }),
      ),
      'Only events that pass this filter, such as `currency:EUR` or `amount>100`. Default: all.',
    ),
  ),
  within: described(
    z.string().check(
      z.maxLength(16),
      z.refine((text) => spanOf(text) <= MAX_WITHIN_DAYS * UNITS.d!, {
        error: `must be a span such as 30m, 12h or 7d, up to ${MAX_WITHIN_DAYS}d`,
      }),
    ),
    'An event counts for so long after the decision was served, such as `12h` or `7d`.',
  ),
  value: z.optional(
    described(
      z
        .strictObject({
          property: described(name(), 'Property of the event, a number.'),
          from: z.optional(described(z.number(), 'The number that is worth 0. Default: 0.')),
          to: described(z.number(), 'The number that is worth 1.'),
        })
        .check(z.refine(({ from = 0, to }) => to > from, { error: 'needs a `to` above `from`' })),
      'What an event is worth, by one of its numbers; numbers outside are clipped. Default: 1.',
    ),
  ),
  attribute: z.optional(
    described(
      z.enum(['last', 'first', 'each']),
      'The decisions that an event counts for: the last one before it, the first one in its window, or each. Default: last.',
    ),
  ),
  after: z.optional(
    described(
      z.enum(['served', 'opened', 'clicked']),
      'What the window begins with: the message was served, opened or clicked. Default: served.',
    ),
  ),
  contents: z.optional(described(names(), 'Only decisions for these contents. Default: all.')),
  categories: z.optional(
    described(names(), 'Only decisions for contents of these categories. Default: all.'),
  ),
  surface: z.optional(described(name(), 'Only decisions on this surface. Default: all.')),
  negative: z.optional(
    described(
      z.strictObject({
        event: described(name(), 'Name of the event that takes a counted one back.'),
        match: described(name(), 'Property that both have with the same value.'),
      }),
      'A correction, such as a refund: it takes back what the event of the same user with the same value earned.',
    ),
  ),
  guard: z.optional(
    described(
      z.strictObject({
        worseThan: described(
          z.number().check(z.gt(0), z.maximum(1)),
          'By how much more a decision may earn than one of the holdout group.',
        ),
        from: z.optional(
          described(instant(), 'Only decisions from the next day (UTC) on are compared. Default: all.'),
        ),
      }),
      'For a goal that is bad, such as unsubscribing: a content that earns more of it than the holdout group, beyond doubt, is taken out of choice, and so is the learned choice.',
    ),
  ),
});
export const CatalogGoal = Goal.check(
  z.superRefine((goal, context) => {
    if (!goal.guard) return;
    const { contents, categories, surface, after = 'served' } = goal;
    const set = { contents, categories, surface, after: after === 'served' ? undefined : after };
    for (const [field] of Object.entries(set).filter(([, value]) => value !== undefined))
      context.addIssue({
        code: 'custom',
        path: [field],
        message: 'must be left out with a guard, which compares all served decisions',
        input: goal,
      });
  }),
  z.refine(({ event, negative }) => negative?.event !== event, {
    path: ['negative', 'event'],
    error: 'must differ from the event that is counted',
  }),
);
export type CatalogGoal = z.infer<typeof CatalogGoal>;

const weight = () => z.number().check(z.minimum(0), z.maximum(1));

export const LearnedReward = z
  .strictObject({
    goal: z.optional(described(name(), 'The goal that is learned.')),
    goals: z.optional(
      described(limited(z.record(name(), weight()), MAX_GOALS, 'goals'), 'The weight of each goal of a sum.'),
    ),
    outcomes: z.optional(
      described(
        weight(),
        'The weight of what the message itself earned: its clicks and actions. Default: 0.',
      ),
    ),
  })
  .check(
    z.refine(({ goal, goals }) => (goal === undefined) !== (goals === undefined), {
      error: 'needs either goal or goals',
    }),
  );
