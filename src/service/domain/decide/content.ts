import type { RepeatRules } from './repeat.ts';

/** What the engine may choose from. Times are Unix ms. An empty list of channels, surfaces or locales means any. */
export interface Content {
  readonly contentId: string;
  readonly category: string;
  readonly channels: readonly string[];
  readonly surfaces: readonly string[];
  readonly locales: readonly string[];
  readonly format: 'card' | 'modal' | 'embedded' | 'full-screen';
  readonly title: string;
  readonly body: string;
  readonly activeFrom?: number | undefined;
  readonly activeUntil?: number | undefined;
  readonly traits: readonly TraitRule[];
  readonly events: readonly EventRule[];
  /** Chance of a reward believed before any outcome, between 0 and 1. */
  readonly prior: number;
  readonly repeat?: RepeatRules | undefined;
}

export type TraitValue = string | number | boolean;

/** A condition on a trait of the user. All the parts that are given must hold. */
export interface TraitRule {
  readonly trait: string;
  readonly exists?: boolean | undefined;
  readonly equals?: TraitValue | undefined;
  readonly oneOf?: readonly TraitValue[] | undefined;
  readonly atLeast?: number | undefined;
  readonly atMost?: number | undefined;
}

/** A condition on how often an event of the user happened in the last days. */
export interface EventRule {
  readonly event: string;
  readonly withinDays: number;
  readonly atLeast?: number | undefined;
  readonly atMost?: number | undefined;
  /** The result of `windowOf`, where it was computed before. */
  readonly window?: string;
}

/** What is known of the user when a decision is made. Never a name, a phone or an account number. */
export interface Audience {
  readonly traits: Readonly<Record<string, TraitValue>>;
  /** How often an event happened in the days of a rule, by `windowOf` the rule; counted up to what any rule asks. */
  readonly events: ReadonlyMap<string, number>;
}

/** What names the events that a rule counts: rules of one event and as many days share a count. */
export function windowOf({ event, withinDays, window }: EventRule): string {
  return window ?? `${withinDays} ${event}`;
}

/** So many events decide a rule; more change nothing. */
export function enoughFor({ atLeast = 0, atMost = -1 }: EventRule): number {
  return Math.max(atLeast, atMost + 1);
}
