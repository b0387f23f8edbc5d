import * as z from 'zod/mini';
import { MAX_DAILY_CONTACTS, MAX_NAME, MAX_TRAITS } from '../limits.ts';
import {
  about,
  beyond,
  instant,
  locale,
  name,
  named,
  openFields,
  pageSize,
  requestId,
  scalar,
  time,
  within,
} from '../parts.ts';

const HASH_ID = 'Hashed identifier of the user, from `POST /v1/users`.';

const DecisionContext = named(
  'DecisionContext',
  'Where the action will appear. Any other field with a scalar value is a feature of the decision.',
  openFields(
    {
      channel: about('Channel of the surface, such as `in-app`.', z.optional(name())),
      surface: about('Name of the surface.', z.optional(name())),
      locale: about("Locale of the action (BCP 47). Default: the user's.", z.optional(locale())),
    },
    scalar(),
    MAX_TRAITS,
  ),
);
const Guardrails = named(
  'Guardrails',
  'Constraints on the decision.',
  z.strictObject({
    excludeCategories: about(
      'Categories that must not be chosen.',
      z.optional(z.array(name()).check(z.maxLength(MAX_NAME))),
    ),
    maxDailyContacts: about(
      'Maximum number of contacts of the user per day, in the time zone of the user.',
      z.optional(z.int().check(z.minimum(0), z.maximum(MAX_DAILY_CONTACTS))),
    ),
  }),
);
export const DecideRequest = named(
  'DecideRequest',
  'Asks for the next best action for a user.',
  z.strictObject({
    hashId: about(HASH_ID, name()),
    context: z.optional(DecisionContext),
    guardrails: z.optional(Guardrails),
  }),
);
export type DecideRequest = z.infer<typeof DecideRequest>;

const ranking = () => about('Score: the expected reward.', within(0, 1));
const Action = named(
  'Action',
  'The chosen action.',
  z.object({
    type: about(
      'Kind of action: `in-app-message`, the name of a notification channel, or `none` if nothing is eligible.',
      z.string(),
    ),
    contentId: about('Content to render. Empty for an action of type `none`.', z.string()),
    ranking: ranking(),
    reason: about('Why this action, in words.', z.string()),
  }),
);
const Alternative = named(
  'Alternative',
  'A runner-up of a decision.',
  z.object({
    type: about('Kind of action.', z.string()),
    contentId: about('Content to render.', z.string()),
    ranking: ranking(),
  }),
);
export const DecideAnswer = named(
  'DecideAnswer',
  'A decision, which the service has logged.',
  z.object({
    decisionId: about('Identifier of the decision.', z.string()),
    action: Action,
    alternatives: about('Runner-up actions, best first.', z.array(Alternative)),
  }),
);
export type DecideAnswer = z.infer<typeof DecideAnswer>;

const Candidate = named(
  'Candidate',
  'A content that could have been chosen.',
  z.object({
    contentId: about('The content.', z.string()),
    propensity: about('Probability with which it was chosen.', z.number()),
    ranking: ranking(),
  }),
);
const OtherCandidates = named(
  'OtherCandidates',
  'The candidates of a decision that are not named.',
  beyond(
    z.object({
      count: about('How many.', z.int()),
      propensity: about('Sum of their propensities.', z.number()),
      ranking: about('Their mean ranking.', within(0, 1)),
      expected: about('Sum of propensity × ranking.', z.number()),
    }),
  ),
);
const RemovedContents = named(
  'RemovedContents',
  'The contents that a rule excluded from a decision.',
  beyond(
    z.object({
      rule: about(
        'The rule: `channel`, `surface`, `locale`, `paused`, `active` (dates), `trait`, `event`, `category`, `weights` (of the placement), `cooldown`, `mostPerUser`, `afterOutcome`, `guard` (of a goal), or `others` for further rules together.',
        z.string(),
      ),
      name: about('The trait, event, category or goal of the rule.', z.optional(z.string())),
      count: about('How many contents it excluded that no earlier rule did.', z.int()),
      contentIds: about('The first of them; none where the log had no space.', z.array(z.string())),
    }),
  ),
);
const Explanation = named(
  'Explanation',
  'What moved a learned choice: the best candidate, compared with the one that would have been next.',
  beyond(
    z.object({
      winner: about(
        'The best candidate, also where another one was chosen to learn what it earns.',
        z.string(),
      ),
      runnerUp: about(
        'The candidate that would have been next, by what is expected of it and how uncertain that is: not always the second by ranking. Null for a single candidate.',
        z.nullable(z.string()),
      ),
      effects: about(
        'The features with the largest effects, at most five.',
        z.array(
          z.object({
            feature: about('Name of the trait, the event or the field of the context.', z.string()),
            value: about('Its value; `***` for one that looks personal.', z.string()),
            effect: about(
              'What it adds to the lead of the winner, of a single candidate to what it earns, in the unit of rewards.',
              z.number(),
            ),
          }),
        ),
      ),
      change: about(
        'The smallest change of one of these features by which the runner-up would have been ahead; null if there is none.',
        z.nullable(
          z.object({
            feature: about('Name of the feature.', z.string()),
            value: about('Its value.', z.string()),
            to: about(
              'The other value; null if the feature would have to be missing.',
              z.nullable(z.number()),
            ),
          }),
        ),
      ),
    }),
  ),
);
export const LoggedDecision = named(
  'LoggedDecision',
  'An entry of the decision log.',
  z.object({
    decisionId: about('Identifier of the decision.', z.string()),
    hashId: about('Hashed identifier of the user.', z.string()),
    at: time('When the decision was made.'),
    context: about('Channel, surface and locale of the decision.', z.record(z.string(), z.string())),
    contentId: about('The chosen content; null for an action of type `none`.', z.nullable(z.string())),
    candidates: about('The candidates with the highest propensities.', z.array(Candidate)),
    others: z.optional(OtherCandidates),
    modelVersion: about('Version of the model that ranked the candidates.', z.int()),
    seed: about('Seed of the choice among the candidates.', z.string()),
    policy: z.optional(
      about(
        'What made the choice: the learned beliefs, fixed weights (of a placement, or even ones where a guard stopped the learned choice), or an even choice for a user in the holdout group.',
        z.enum(['learned', 'weights', 'holdout']),
      ),
    ),
    reward: about('The reward so far; null while none is due.', z.nullable(z.number())),
    goals: z.optional(
      beyond(
        about(
          'What it earned of each goal of the catalog, from 0 to 1. Goals of which it earned nothing are left out.',
          z.record(z.string(), z.number()),
        ),
      ),
    ),
    reason: beyond(
      about(
        'The reason in the answer, cut to 400 bytes. Missing for decisions of earlier versions and of erased users.',
        z.optional(z.string()),
      ),
    ),
    explanation: z.optional(Explanation),
    removed: z.optional(
      beyond(
        about(
          'The contents that each rule excluded, most first. Empty also if `maxDailyContacts` was reached. Missing for decisions of earlier versions.',
          z.array(RemovedContents),
        ),
      ),
    ),
  }),
);

export const RewardRequest = named(
  'RewardRequest',
  'What a decision was worth.',
  beyond(
    z.strictObject({
      value: about('The reward.', z.number().check(z.minimum(0), z.maximum(1))),
      goalId: about(
        'The goal of the catalog to which it is added. Left out: it is the reward of the decision, whatever else it earned.',
        z.optional(name()),
      ),
    }),
  ),
);
export const RewardAnswer = named(
  'RewardAnswer',
  'The reward is stored.',
  beyond(
    z.object({
      decisionId: about('Identifier of the decision.', z.string()),
      reward: about('The reward of the decision that is learned.', z.number()),
      requestId: requestId(),
    }),
  ),
);

export const MAX_LOG_PAGE = 1000;
export const ListDecisionsQuery = z.strictObject({
  hashId: about('Only decisions for this user.', z.optional(name())),
  contentId: about('Only decisions that chose this content.', z.optional(name())),
  since: about('Only decisions from this time on.', z.optional(instant())),
  until: about('Only decisions before this time.', z.optional(instant())),
  order: about('Which come first. Default: oldest.', z.optional(z.enum(['oldest', 'newest']))),
  after: about(
    'The `next` of the previous page.',
    z.optional(
      z
        .string()
        .check(
          z.maxLength(15, { abort: true }),
          z.regex(/^\d{1,15}$/, { error: 'must be the `next` of the previous page' }),
        ),
    ),
  ),
  limit: about(
    `Maximum number of decisions on the page, from 1 to ${MAX_LOG_PAGE}. A page may be shorter.`,
    z.optional(pageSize(MAX_LOG_PAGE)),
  ),
});
export const ListDecisionsAnswer = named(
  'ListDecisionsAnswer',
  'A page of the decision log.',
  beyond(
    z.object({
      decisions: about('The decisions.', z.array(LoggedDecision)),
      next: about('The value of `after` for the next page; null on the last page.', z.nullable(z.string())),
      removedBefore: z.optional(
        time('Decisions from before this time were removed by age, and the page reaches back beyond it.'),
      ),
    }),
  ),
);
