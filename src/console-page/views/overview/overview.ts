import type { AnswerOf } from '../../../contract/endpoints.ts';

export type Overview = AnswerOf<'getOverview'>;

const HOUR_MS = 3_600_000;

/** When the hour of the clock before this one began, Unix ms: an hour that has just begun says little. */
export const sinceLately = ({ from, events }: Overview): number =>
  Date.parse(from) + (events.byHour.length - 2) * HOUR_MS;

/** A subscription, and how its attempts of the last hour went. */
export type Attempted = Overview['deliveries']['lastHour'][number];

/** Fewer attempts than this say nothing of a receiver. */
const SOME = 10;

/** Those of which half of the attempts failed or more. */
export const mostlyFailed = (attempted: readonly Attempted[]): readonly Attempted[] =>
  attempted.filter(({ attempts, delivered }) => attempts >= SOME && delivered / attempts <= 0.5);
