/**
 * The catalog file: contents and notification templates. The JSON schema in `docs/catalog.schema.json` is generated
 * from this schema.
 */
import * as z from 'zod/mini';
import { described } from '../../contract/described.ts';
import { MESSAGE_FORMATS } from '../../contract/schemas.ts';
import { isLocale } from '../../kit/locale.ts';
import { MAX_TAGS } from './attributes.ts';
import { EventsSection } from './event-plan-schema.ts';
import { instant, limited, MAX_LOCALES, minutes, name } from './fields.ts';
import { CatalogGoal, LearnedReward, MAX_GOALS } from './goal-schema.ts';
import { Marketing } from './templates/marketing-schema.ts';
import { CatalogTemplate } from './templates/template-schema.ts';

const names = () => z.optional(z.array(name()).check(z.maxLength(256)));
const locales = () =>
  z.optional(
    z
      .array(
        z
          .string()
          .check(z.maxLength(64), z.refine(isLocale, { error: 'must be a locale tag, such as en-GB' })),
      )
      .check(z.maxLength(256)),
  );
const scalar = () => z.union([z.string().check(z.maxLength(1000)), z.number(), z.boolean()]);
/** Characters of a tag, at most. */
const MAX_TAG = 64;
/** Bounded because a decision counts events one by one, up to this number. */
const count = () => z.int().check(z.minimum(0), z.maximum(10_000));
/** Up to ten years. */
const repeatMinutes = () => z.number().check(z.positive(), z.maximum(5_256_000));
/** Maximum number of conditions on traits, and on events, per content. */
const MAX_CONDITIONS = 64;

const TraitCondition = z
  .strictObject({
    trait: name(),
    exists: z.optional(z.boolean()),
    equals: z.optional(scalar()),
    oneOf: z.optional(z.array(scalar()).check(z.minLength(1), z.maxLength(1000))),
    atLeast: z.optional(z.number()),
    atMost: z.optional(z.number()),
  })
  .check(
    z.refine((rule) => Object.keys(rule).length > 1, {
      error: 'needs a condition: exists, equals, oneOf, atLeast or atMost',
    }),
  );

const EventCondition = z
  .strictObject({
    event: name(),
    withinDays: z.number().check(z.positive(), z.maximum(365)),
    atLeast: z.optional(count()),
    atMost: z.optional(count()),
  })
  .check(
    z.refine((rule) => rule.atLeast !== undefined || rule.atMost !== undefined, {
      error: 'needs atLeast or atMost',
    }),
  );

const contentText = () => ({
  title: z.string().check(z.minLength(1), z.maxLength(1000)),
  body: z.string().check(z.maxLength(10_000)),
});

export const CatalogContent = z.strictObject({
  contentId: described(name(), 'Identifier, as in decisions and deliveries.'),
  category: described(name(), 'What it is about: a request for a decision can exclude whole categories.'),
  channels: described(names(), 'Channels it may be shown on. Default: any.'),
  surfaces: described(names(), 'Surfaces it may be shown on. Default: any.'),
  locales: described(
    locales(),
    'Only for users with these locales; `en` includes `en-GB`. A user whose locale is not known is not excluded. Default: any.',
  ),
  format: described(z.enum(MESSAGE_FORMATS), 'How the app shows it.'),
  tags: z.optional(
    described(
      z.array(z.string().check(z.minLength(1), z.maxLength(MAX_TAG))).check(z.maxLength(MAX_TAGS)),
      'What it has in common with others: what is learned of one content counts for all with the tag. Default: none.',
    ),
  ),
  ...contentText(),
  texts: z.optional(
    described(
      limited(
        z.record(z.string().check(z.maxLength(64)), z.strictObject(contentText())),
        MAX_LOCALES,
        'locales',
      ),
      'Title and body in other languages, by locale: `de` is used for `de-AT` too, and its own title and body for all others.',
    ),
  ),
  paused: z.optional(described(z.boolean(), 'Not chosen while paused; waiting messages are withdrawn.')),
  activeFrom: z.optional(described(instant(), 'Not chosen before this instant.')),
  activeUntil: z.optional(described(instant(), 'Not chosen from this instant on.')),
  eligibility: z.optional(
    z.strictObject({
      traits: z.optional(
        described(
          z.array(TraitCondition).check(z.maxLength(MAX_CONDITIONS)),
          'Conditions on traits; all must hold.',
        ),
      ),
      events: z.optional(
        described(
          z.array(EventCondition).check(z.maxLength(MAX_CONDITIONS)),
          'Conditions on recent events; all must hold.',
        ),
      ),
    }),
  ),
  prior: z.optional(
    described(
      z.number().check(z.gt(0), z.lt(1)),
      'Assumed probability of a reward before any outcome. Default: 0.1.',
    ),
  ),
  repeat: z.optional(
    described(
      z.strictObject({
        cooldownMinutes: z.optional(
          described(repeatMinutes(), 'Not chosen again for the user for so long after it was chosen.'),
        ),
        mostPerUser: z.optional(
          described(z.int().check(z.minimum(1), z.maximum(1_000_000)), 'Chosen at most so often for a user.'),
        ),
        afterOutcomeMinutes: z.optional(
          described(
            repeatMinutes(),
            'Not chosen again for the user for so long after it was dismissed or actioned.',
          ),
        ),
      }),
      'How often a user may get it; what is left out does not limit it.',
    ),
  ),
});

const share = () => z.number().check(z.minimum(0), z.maximum(1));

/** Contents with weights per placement, at most. */
const MAX_WEIGHTS = 256;
const Weights = z.record(name(), z.number().check(z.minimum(0), z.maximum(1_000_000))).check(
  z.refine((weights) => Object.keys(weights).length <= MAX_WEIGHTS, {
    error: `has more than ${MAX_WEIGHTS} contents`,
  }),
  z.refine((weights) => Object.values(weights).some((weight) => weight > 0), {
    error: 'needs a weight above 0',
  }),
);
z.globalRegistry.add(Weights, {
  description: 'Weight of each content that may be chosen here.',
  maxProperties: MAX_WEIGHTS,
});

const Placement = z.strictObject({
  channel: described(z.optional(name()), 'Channel of the decision; left out: any.'),
  surface: described(z.optional(name()), 'Surface of the decision; left out: any.'),
  weights: Weights,
  perDecision: z.optional(
    described(z.boolean(), 'Draw again for each decision. Default: a user keeps the same content.'),
  ),
});

const CatalogSettings = z.strictObject({
  rewardWindowMinutes: z.optional(
    described(
      minutes(),
      'An outcome counts as reward for so long after the message was served, or was decided where nobody polls; left out: 10080 (7 days).',
    ),
  ),
  pollLookBackMinutes: z.optional(
    described(
      minutes(),
      'A channel counts as polled for so long after a poll: there, silence counts from when a message was served; left out: 10080 (7 days).',
    ),
  ),
  explorationShare: z.optional(
    described(
      z.number().check(z.minimum(0.001), z.maximum(1)),
      'Share of every decision that is spread evenly over the candidates; left out: 0.02.',
    ),
  ),
  holdout: z.optional(
    described(
      share(),
      'Share of the users for whom contents are chosen evenly, to compare with what is learned; left out: 0.',
    ),
  ),
  replaceWaiting: z.optional(
    described(
      z.boolean(),
      'A message with the same content as one that waits replaces it and keeps its contact; left out: false.',
    ),
  ),
  messageDays: z.optional(
    described(
      z.int().check(z.minimum(1), z.maximum(30)),
      'For how many days of its user a message waits, the day of its decision included; left out: 7.',
    ),
  ),
  placements: z.optional(
    described(
      z.array(Placement).check(z.maxLength(64)),
      'Fixed weights instead of the learned choice; the first entry that matches a decision holds.',
    ),
  ),
  reward: z.optional(
    described(
      LearnedReward,
      'What is learned: a goal, or a weighted sum of goals and outcomes; left out: the outcomes of messages.',
    ),
  ),
  marketing: z.optional(described(Marketing, 'Rules of marketing notifications.')),
});

export const CatalogFile = z.strictObject({
  $schema: z.optional(z.string().check(z.maxLength(2048))),
  contents: z.array(CatalogContent).check(z.maxLength(1000)),
  templates: z.optional(z.array(CatalogTemplate).check(z.maxLength(2000))),
  goals: z.optional(
    described(
      z.array(CatalogGoal).check(z.maxLength(MAX_GOALS)),
      'What decisions should lead to, counted from events. Default: none.',
    ),
  ),
  events: z.optional(described(EventsSection, 'The plan of the events that are sent. Default: none.')),
  settings: z.optional(CatalogSettings),
});
export type CatalogFile = z.infer<typeof CatalogFile>;

/** The JSON schema (draft 2020-12) of a catalog file, as published. */
export function catalogJsonSchema(): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(CatalogFile, { io: 'input' });
  return { $schema, $id: 'catalog.schema.json', title: 'Catalog of svc serve', ...rest };
}
