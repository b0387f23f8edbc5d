import * as z from 'zod/mini';
import { about, time } from '../contract/parts.ts';
import { number, whole } from './fields.ts';

const estimate = (description: string) =>
  about(
    description,
    z.object({
      mean: number('The estimate.'),
      low: number('Lower bound of its 95 % interval.'),
      high: number('Upper bound of its 95 % interval.'),
    }),
  );

export const EvaluationOutput = z.object({
  decisions: whole('Decisions that were judged.'),
  pending: whole('Decisions that were not served yet, and are left out.'),
  skipped: whole('Entries that could not be judged.'),
  removedBefore: z.optional(
    time('Decisions from before this time were removed, and the log was asked for them.'),
  ),
  policies: about(
    'The policies by name; null for one without decisions.',
    z.record(
      z.string(),
      z.nullable(
        z.object({
          decisions: whole('Decisions in which the policy has a candidate.'),
          effective: number(
            'The effective sample size: how many decisions of this policy would be as precise.',
          ),
          unsupported: number(
            "Share of the policy's choices that the log never or hardly ever makes; the intervals are wider by it.",
          ),
          ips: estimate('Inverse propensity score.'),
          snips: estimate('Self-normalized inverse propensity score.'),
          dr: about(
            'Doubly robust estimate; null if the log has no rankings.',
            z.nullable(estimate('Doubly robust estimate.')),
          ),
          dm: about(
            'Direct method; null if the log has no rankings.',
            z.nullable(z.object({ mean: number('The mean ranking of what the policy chooses.') })),
          ),
        }),
      ),
    ),
  ),
});
