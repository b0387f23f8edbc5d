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
  readonly activeFrom?: number;
  readonly activeUntil?: number;
  readonly traits: readonly TraitRule[];
  readonly events: readonly EventRule[];
  /** Chance of a reward believed before any outcome, between 0 and 1. */
  readonly prior: number;
}

export type TraitValue = string | number | boolean;

/** A condition on a trait of the user. All the parts that are given must hold. */
export interface TraitRule {
  readonly trait: string;
  readonly exists?: boolean;
  readonly equals?: TraitValue;
  readonly oneOf?: readonly TraitValue[];
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** A condition on how often an event of the user happened in the last days. */
export interface EventRule {
  readonly event: string;
  readonly withinDays: number;
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** What is known of the user when a decision is made. Never a name, a phone or an account number. */
export interface Audience {
  readonly traits: Readonly<Record<string, TraitValue>>;
  /** Event name to the times it happened, Unix ms. */
  readonly events: ReadonlyMap<string, readonly number[]>;
}
