import type { AnswerOf } from '../../../contract/endpoints.ts';

export type Overview = AnswerOf<'getOverview'>;

const HOUR_MS = 3_600_000;

/** When the hour of the clock before this one began, Unix ms: an hour that has just begun says little. */
export const sinceLately = ({ from, events }: Overview): number =>
  Date.parse(from) + (events.byHour.length - 2) * HOUR_MS;
