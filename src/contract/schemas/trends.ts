import * as z from 'zod/mini';
import { about, beyond, instant, name, named, pageSize, time } from '../parts.ts';
import { performance } from './webhooks.ts';

const range = () => ({
  since: about('From when on. Default: 24 hours before the end.', z.optional(instant())),
  until: about('Up to when. Default: now.', z.optional(instant())),
});
export const TrendQuery = z.strictObject(range());
/** The most contents that a trend has by name. */
const MAX_TREND_CONTENTS = 50;
export const DecisionTrendQuery = z.strictObject({
  ...range(),
  contents: about(
    `How many contents, those that were served most, from 1 to ${MAX_TREND_CONTENTS}; 5 if it is left out.`,
    z.optional(pageSize(MAX_TREND_CONTENTS)),
  ),
});
export const DeliveryTrendQuery = z.strictObject({
  ...range(),
  webhookId: about('Only attempts of this subscription.', z.optional(name())),
});

const steps = () => ({
  from: time('The beginning of the first step (UTC).'),
  until: time('The end of the range; the last step may end later.'),
  stepMs: about(
    'Length of a step in ms: the shortest of 1, 3 and 6 hours, a day and a week of which at most 60 reach over the range. Of a longer range, the last 60. Of events, 2 and 10 minutes too. Of attempts to deliver in the last hour, 5 minutes.',
    z.int(),
  ),
});
const counts = (description: string) => about(`${description} By step.`, z.array(z.int()));
const number = (description: string) => about(description, z.number());
const interval = (of: string) => ({
  low: number(`Lower end of the 95 % interval of the ${of}.`),
  high: number(`Upper end of the 95 % interval of the ${of}.`),
});

const RatePoint = named(
  'RatePoint',
  'A rate over some steps.',
  z.object({
    from: time('The beginning of its first step.'),
    served: about('Decisions that count.', z.int()),
    rewarded: about('Of these, those that were clicked or actioned.', z.int()),
    dismissed: about('Those whose message was dismissed, some after it was clicked.', z.optional(z.int())),
    rate: number('Rewarded of those served.'),
    ...interval('rate (Wilson)'),
  }),
);
const ValuePoint = named(
  'ValuePoint',
  'What decisions earned of a goal over some steps.',
  z.object({
    from: time('The beginning of its first step.'),
    served: about('Decisions that the goal counts.', z.int()),
    value: number('What they earned per decision, from 0 to 1.'),
    ...interval('value'),
  }),
);
const GoalTrend = named(
  'GoalTrend',
  'What a content earned of a goal over time.',
  z.object({
    goalId: about('Identifier of the goal.', z.string()),
    total: about('Over the range; null without a decision.', z.nullable(ValuePoint)),
    values: about('At most 12 points; those without a decision are left out.', z.array(ValuePoint)),
  }),
);
const ContentTrend = named(
  'ContentTrend',
  'What was served and earned of a content.',
  z.object({
    contentId: about('Identifier of the content.', z.string()),
    total: about('Its rate over the range; null without a decision.', z.nullable(RatePoint)),
    served: counts('How often it was served, outside of the holdout group and without what was tried.'),
    rates: about('Its rate, at most 12 points; those without a decision are left out.', z.array(RatePoint)),
    goals: about(
      'What its decisions earned of each goal of the catalog, in its order; absent where there is none. A decision earns in the step in which it was served, however much later.',
      z.optional(z.array(GoalTrend)),
    ),
  }),
);
const GainPoint = named(
  'GainPoint',
  'What learning gained until a time.',
  z.object({
    until: time('The end of a step: all decisions of the range before it are compared.'),
    learned: about('Learned decisions.', z.int()),
    holdout: about('Decisions of the holdout group.', z.int()),
    gain: number('Rate of the learned choice less that of the holdout group.'),
    low: number('Lower end of its interval, which holds with 95 % however often it is looked at.'),
    high: number('Upper end of the interval.'),
  }),
);

const GoalGain = named(
  'GoalGain',
  'What learning gained of a goal over time.',
  z.object({
    goalId: about('Identifier of the goal.', z.string()),
    total: about('What all earned of it over the range; null without a decision.', z.nullable(ValuePoint)),
    gain: about(
      'A point for each part of the range in which decisions of both groups are known.',
      z.array(GainPoint),
    ),
  }),
);

export const DecisionTrend = named(
  'DecisionTrend',
  'What was served and earned over time.',
  beyond(
    z.object({
      ...steps(),
      served: counts('Decisions that count: their message was served, or their channel is not polled.'),
      holdout: counts('Of these, those of the holdout group.'),
      tried: counts('Of the others, those that fell on another than the most likely candidate.'),
      total: about('The rate of all over the range; null without a decision.', z.nullable(RatePoint)),
      holdoutTotal: about('The same of the holdout group alone.', z.optional(z.nullable(RatePoint))),
      contents: about('The contents that were served most.', z.array(ContentTrend)),
      gain: about(
        'What learning gained, a point for each step from the first on with decisions of both groups. Decisions of one user are taken for independent.',
        z.array(GainPoint),
      ),
      goals: about(
        'The same of each goal of the catalog, in its order, at most 12 points; absent where there is none.',
        z.optional(z.array(GoalGain)),
      ),
    }),
  ),
);

export const EventTrend = named(
  'EventTrend',
  'Events over time.',
  beyond(
    z.object({
      ...steps(),
      stored: counts('Events received, also those that were removed since.'),
      refused: about(
        'Requests with events that were refused: an event was not valid, or not as planned. They store none. By step, or by the hour where steps are shorter.',
        z.array(z.int()),
      ),
      refusedFrom: time('The beginning of the first count of `refused`.'),
    }),
  ),
);

const SubscriptionTrend = named(
  'SubscriptionTrend',
  'How the attempts to deliver to a subscription went over a range.',
  z.object({
    webhookId: about('Identifier of the subscription.', z.string()),
    ...performance(),
    attemptsByStep: counts('Attempts.'),
    deliveredByStep: counts('Of these, those that were answered with 2xx.'),
    lastFailure: about(
      'The last attempt that failed; missing where none did.',
      z.optional(
        z.object({
          before: time(
            'When it was made, at the latest: attempts are counted by five minutes, or by the hour.',
          ),
          delivered: about('How many attempts succeeded since.', z.int()),
        }),
      ),
    ),
  }),
);

export const DeliveryTrend = named(
  'DeliveryTrend',
  'Attempts to deliver over time, of the last week at most.',
  beyond(
    z.object({
      ...steps(),
      attempts: counts('Attempts.'),
      delivered: counts('Of these, those that were answered with a status from 200 to 299.'),
      boundsMs: about(
        'Upper ends of the classes of latency, in ms; the last class has the longer ones too.',
        z.array(z.int()),
      ),
      answered: about(
        'Attempts that were answered, by step and class of latency.',
        z.array(z.array(z.int())),
      ),
      p95Ms: about(
        'Within about how many milliseconds 95 % of these were answered; null without any.',
        z.nullable(z.int()),
      ),
      subscriptions: about(
        'How they went by subscription; those without an attempt are left out.',
        z.array(SubscriptionTrend),
      ),
      capped: about('True if there are more counts than are read: the newest are.', z.boolean()),
    }),
  ),
);
