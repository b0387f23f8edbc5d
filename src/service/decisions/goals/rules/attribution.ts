import { type FilteredEvent, matchesFilter, propertiesOf } from '../../../../kit/event-filter/match.ts';
import type { Goal } from '../../../catalog/goal.ts';

/** Values of goals are whole millionths, so that their sums do not depend on the order of events. */
export const UNIT = 1_000_000;

/** Of a user's decisions in a window, the last so many count. */
export const MAX_CANDIDATES = 100;

/** A decision for which an event may count. */
export interface Candidate {
  readonly decisionId: string;
  /** Its number in the decision log. */
  readonly seq: number;
  /** When its window begins, Unix ms: it was served, opened or clicked. */
  readonly start: number;
  readonly contentId: string;
  readonly category: string;
  readonly surface: string | undefined;
}

/** What an event is for a goal. */
export type Reading =
  | { readonly kind: 'counts'; readonly value: number; readonly clipped: boolean; readonly match?: string }
  | { readonly kind: 'corrects'; readonly match: string }
  /** A property that the goal needs is missing, or is not a number. */
  | { readonly kind: 'unreadable' };

/**
 * Reads an event as one of a goal: its value in millionths, or what it corrects. Returns undefined for an event that is
 * none of the goal.
 */
export function readEvent(goal: Goal, event: FilteredEvent): Reading | undefined {
  const { value, negative } = goal;
  const textOf = (name: string) => propertiesOf(event.properties).find((property) => property.name === name);
  if (negative && event.event === negative.event) {
    const match = textOf(negative.match)?.text;
    return match === undefined ? { kind: 'unreadable' } : { kind: 'corrects', match };
  }
  if (event.event !== goal.event || !matchesFilter(goal.terms, event)) return undefined;
  const match = negative && textOf(negative.match)?.text;
  const found = value && textOf(value.property);
  if (value && found?.type !== 'number') return { kind: 'unreadable' };
  const share = value ? (Number(found!.text) - value.from) / (value.to - value.from) : 1;
  const clipped = Math.min(1, Math.max(0, share));
  return {
    kind: 'counts',
    value: Math.round(clipped * UNIT),
    clipped: clipped !== share,
    ...(match === undefined ? {} : { match }),
  };
}

/**
 * The decisions of the user for which an event at a time (Unix ms) counts: those in whose window it lies, and of them the
 * last one, the first one or each.
 * @param candidates the decisions of the user that may; the order does not matter
 */
export function attributedTo(goal: Goal, at: number, candidates: readonly Candidate[]): string[] {
  const { withinMs, contents, categories, surface } = goal;
  const eligible = candidates
    .filter(({ start }) => start <= at && at < start + withinMs)
    .sort((a, b) => b.start - a.start || b.seq - a.seq)
    .slice(0, MAX_CANDIDATES)
    .filter(
      (each) =>
        (!contents || contents.has(each.contentId)) &&
        (!categories || categories.has(each.category)) &&
        (surface === undefined || surface === each.surface),
    )
    .map(({ decisionId }) => decisionId);
  if (goal.attribute === 'each') return eligible;
  return goal.attribute === 'last' ? eligible.slice(0, 1) : eligible.slice(-1);
}
