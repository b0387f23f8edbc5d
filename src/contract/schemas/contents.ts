import * as z from 'zod/mini';
import { about, beyond, name, named, next, time } from '../parts.ts';

/** Widths of the points of a series. */
const SERIES_STEPS = ['hour', 'day'] as const;

const figures = () => ({
  served: about('Decisions that count: their message was served, or their channel is not polled.', z.int()),
  rewarded: about('Of these, those that were clicked or actioned.', z.int()),
  rate: about('Rewarded of those served; null where none was.', z.nullable(z.number())),
  low: about('Lower end of the 95 % interval of the rate.', z.nullable(z.number())),
  high: about('Upper end of the 95 % interval of the rate.', z.nullable(z.number())),
});
const Point = named(
  'SeriesPoint',
  'A point of a series.',
  z.object({ from: time('Start of the hour or day (UTC).'), ...figures() }),
);
const Group = named('DecisionGroup', 'The decisions of one kind of choice.', z.object(figures()));

const goalFigures = () => ({
  served: about('Decisions that the goal counts.', z.int()),
  conversions: about('Of these, those that earned something.', z.int()),
  value: about('What they earned per decision, from 0 to 1; null without decisions.', z.nullable(z.number())),
  low: about('Lower end of the 95 % interval of the value.', z.nullable(z.number())),
  high: about('Upper end of the 95 % interval of the value.', z.nullable(z.number())),
});
const goalId = () => about('Identifier of the goal.', z.string());
const ContentGoal = named(
  'ContentGoal',
  'What a content earned of a goal.',
  z.object({ goalId: goalId(), ...goalFigures() }),
);
const GoalGroup = named(
  'GoalGroup',
  'What the decisions of one kind of choice earned of a goal.',
  z.object(goalFigures()),
);
const TakenOut = named(
  'TakenOut',
  'What a guard took out of choice.',
  z.object({
    contentId: about('The content; null for the learned choice.', z.nullable(z.string())),
    since: time('When it was taken out.'),
    value: about('What its decisions earned of the goal, per decision, then.', z.number()),
    holdout: about('What those of the holdout group earned.', z.number()),
  }),
);
const GoalState = named(
  'GoalState',
  'How far a goal is counted, and what it earned.',
  z.object({
    goalId: goalId(),
    progress: about('Share of the events from before its definition that are counted.', z.number()),
    behind: about('Newer events of the workspace that have yet to be searched.', z.int()),
    events: about('Events that counted.', z.int()),
    clipped: about('Of these, those whose number was outside of its range.', z.int()),
    unreadable: about(
      'Events that did not count: the property that the goal needs was missing or not a number.',
      z.int(),
    ),
    since: about(
      'Only decisions that counted from then on are reported, as earlier events were removed; null for all.',
      z.nullable(z.string()),
    ),
    byPolicy: about(
      'By what made the choice.',
      z.object({ learned: GoalGroup, holdout: GoalGroup, weights: GoalGroup }),
    ),
    gain: about(
      'Value per decision of the learned choice less that of the holdout group; null without both.',
      z.nullable(
        z.object({
          gain: about('The difference.', z.number()),
          low: about(
            'Lower end of its interval, which holds with 95 % however often it is looked at.',
            z.number(),
          ),
          high: about('Upper end of the interval.', z.number()),
        }),
      ),
    ),
    guard: about(
      'What its guard says; absent where it has none.',
      z.optional(
        z.object({
          worseThan: about('By how much more than the holdout group decisions may earn.', z.number()),
          upTo: time(
            'Decisions that began to count before then are compared: the windows of later ones are open.',
          ),
          takenOut: about('What it took out of choice, the longest first.', z.array(TakenOut)),
        }),
      ),
    ),
  }),
);

const content = () => ({
  id: about('Identifier of the content.', z.string()),
  category: about('Category; null if it is no longer in the catalog.', z.nullable(z.string())),
  format: about('Format; null if it is no longer in the catalog.', z.nullable(z.string())),
  title: about('Title; null if it is no longer in the catalog.', z.nullable(z.string())),
  status: about(
    'Whether it can be chosen: `paused`, before its start (`scheduled`), after its end (`ended`), taken out by a guard (`guarded`), or no longer in the catalog (`withdrawn`).',
    z.enum(['active', 'paused', 'scheduled', 'ended', 'guarded', 'withdrawn']),
  ),
  guardedBy: about(
    'The goals whose guards took it out of choice; absent for none.',
    z.optional(z.array(goalId())),
  ),
  dismissed: about('Messages that were dismissed.', z.int()),
  ...figures(),
  goals: about(
    'What it earned of each goal of the catalog; absent where there is none.',
    z.optional(z.array(ContentGoal)),
  ),
});
const ContentFigures = named('ContentFigures', 'A content and what it earned.', z.object(content()));

export const ListContentsQuery = z.strictObject({
  after: about('The `next` of the previous page.', z.optional(name())),
});
export const ListContentsAnswer = named(
  'ListContentsAnswer',
  'A page of the contents.',
  beyond(z.object({ items: about('The contents.', z.array(ContentFigures)), next: next() })),
);

export const SeriesQuery = z.strictObject({
  step: about(
    'Width of the points. Default: hours while the figures are younger than 14 days, else days.',
    z.optional(z.enum(SERIES_STEPS)),
  ),
});
const series = () => ({
  step: about('Width of the points.', z.enum(SERIES_STEPS)),
  series: about('The points with decisions, oldest first.', z.array(Point)),
});
export const GetContentAnswer = named(
  'GetContentAnswer',
  'A content and what it earned over time.',
  beyond(z.object({ ...content(), ...series() })),
);
const rowCount = (of: string) =>
  about(
    of,
    z.object({
      used: about('Rows in use, that of the bias included.', z.int()),
      limit: about('Most rows, which are fewer with many contents.', z.int()),
    }),
  );
const Expert = named(
  'ModelExpert',
  'One of the models that learn side by side.',
  z.object({
    kind: about(
      'A linear regression for each content, or a logistic regression that contents share.',
      z.enum(['linear', 'logistic']),
    ),
    knows: about(
      'The features it has: all, those of the place, the traits, what users did, none, or the preference of each user alone.',
      z.enum(['everything', 'place', 'traits', 'behavior', 'nothing', 'users']),
    ),
    evidence: about('Log-likelihood of its predictions for the last thousand decisions, about.', z.number()),
    decides: about('Whether it makes the choices.', z.boolean()),
  }),
);
const LearnedContent = named(
  'LearnedContent',
  'What the expert that decides learned of a content.',
  z.object({
    contentId: about('Identifier of the content.', z.string()),
    learned: about('Decisions learned.', z.int()),
    weights: about(
      'Its largest weights, at most five: of a linear expert in the unit of the reward, of a logistic one of the log-odds.',
      z.array(
        z.object({
          name: about(
            'The feature; null if the process that answers has not met it since its start.',
            z.nullable(z.string()),
          ),
          weight: about('The weight.', z.number()),
        }),
      ),
    ),
  }),
);

export const GetModelAnswer = named(
  'GetModelAnswer',
  'The state of the learned model.',
  beyond(
    z.object({
      version: about('Version of the newest stored model; 0 before the first.', z.int()),
      learned: about('Entries of the reward log that the model includes.', z.int()),
      behind: about('Entries that it has yet to include.', z.int()),
      resetAt: about(
        'When all was last forgotten and learned again, as several contents shortly after each other stopped earning what they did; null if it never was.',
        z.nullable(z.string()),
        { format: 'date-time' },
      ),
      holdoutShare: about('Share of the users in the holdout group.', z.number()),
      explorationShare: about('Share of each decision that is spread evenly.', z.number()),
      experts: about(
        'The models that learn; the one with the best recent predictions decides.',
        z.array(Expert),
      ),
      rows: about(
        'Rows of features that the linear experts and a logistic one use.',
        z.object({
          linear: rowCount('Those of the linear experts.'),
          logistic: rowCount('Those of the logistic variant that decides, or has all features.'),
        }),
      ),
      contents: about('The 20 contents with the most learned decisions.', z.array(LearnedContent)),
      all: Group,
      byPolicy: about(
        'By what made the choice: learned beliefs, an even choice for the holdout group, or fixed weights.',
        z.object({ learned: Group, holdout: Group, weights: Group }),
      ),
      gain: about(
        'Rate of the learned choice less that of the holdout group, with its 95 % interval (Newcombe); null without both.',
        z.nullable(
          z.object({
            rate: about('The difference.', z.number()),
            low: about('Lower end of the interval.', z.number()),
            high: about('Upper end of the interval.', z.number()),
          }),
        ),
      ),
      goals: about('The goals of the catalog, in its order.', z.array(GoalState)),
      ...series(),
      holdoutSeries: about('The points of the holdout group.', z.array(Point)),
    }),
  ),
);
export type GetModelAnswer = z.infer<typeof GetModelAnswer>;
