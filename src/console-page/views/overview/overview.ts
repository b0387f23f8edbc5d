import type { AnswerOf } from '../../../contract/endpoints.ts';

export type Overview = AnswerOf<'getOverview'>;

/** A subscription, and how its attempts of the last hour went. */
export type Attempted = Overview['deliveries']['lastHour'][number];

/** Fewer attempts than this say nothing of a receiver. */
const SOME = 10;

/** Those of which half of the attempts fail or more: deliveries that are tried again stay pending for long. */
export const failingOf = (attempted: readonly Attempted[]): readonly Attempted[] =>
  attempted.filter(({ attempts, delivered }) => attempts >= SOME && delivered / attempts <= 0.5);
