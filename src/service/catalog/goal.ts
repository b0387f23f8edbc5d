import { parseFilter, type Term } from '../../kit/event-filter/parse.ts';
import { type CatalogGoal, spanOf } from './goal-schema.ts';

/** A result of decisions that a workspace counts, such as an order. Sets that are undefined mean any. */
export interface Goal {
  readonly goalId: string;
  readonly event: string;
  /** The terms of `where`; all must hold. */
  readonly terms: readonly Term[];
  /** An event counts for so long after the decision, in ms. */
  readonly withinMs: number;
  /** Undefined where each event is worth 1. */
  readonly value: { readonly property: string; readonly from: number; readonly to: number } | undefined;
  readonly attribute: 'last' | 'first' | 'each';
  readonly after: 'served' | 'opened' | 'clicked';
  readonly contents: ReadonlySet<string> | undefined;
  readonly categories: ReadonlySet<string> | undefined;
  readonly surface: string | undefined;
  readonly negative: { readonly event: string; readonly match: string } | undefined;
  /** Of a goal that is bad: by how much more than the holdout group decisions may earn, of those since a time (Unix ms). */
  readonly guard: { readonly worseThan: number; readonly from: number } | undefined;
  /** The definition as text: what was counted by another one is counted again. */
  readonly definition: string;
}

/** What is learned of a decision: a weighted sum of what it earned. */
export interface LearnedReward {
  /** Weights by goalId. */
  readonly goals: ReadonlyMap<string, number>;
  /** The weight of the reward of its outcomes. */
  readonly outcomes: number;
}

/** Converts a valid goal of a catalog file. */
export function toGoal(goal: CatalogGoal): Goal {
  const { goalId, event, where = '', value, attribute = 'last', after = 'served', surface, negative } = goal;
  const parsed = parseFilter(where);
  const counted = {
    goalId,
    event,
    withinMs: spanOf(goal.within),
    value: value && { property: value.property, from: value.from ?? 0, to: value.to },
    attribute,
    after,
    surface,
    negative: negative && { event: negative.event, match: negative.match },
  };
  const { contents, categories, guard } = goal;
  return {
    ...counted,
    terms: parsed.ok ? parsed.terms : [],
    contents: contents && new Set(contents),
    categories: categories && new Set(categories),
    guard: guard && {
      worseThan: guard.worseThan,
      from: guard.from === undefined ? 0 : Date.parse(guard.from),
    },
    // What is worse may change without counting anything again.
    definition: JSON.stringify({ ...counted, where, contents, categories, guard: guard && true }),
  };
}
