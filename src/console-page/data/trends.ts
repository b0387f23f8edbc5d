import type { AnswerOf } from '../../contract/endpoints.ts';
import { about } from './about.ts';
import { call, type Query } from './api.ts';
import { type Resource, useResource } from './resource.ts';

export type DecisionTrend = AnswerOf<'getDecisionTrend'>;
export type EventTrend = AnswerOf<'getEventTrend'>;

/** How often a chart is read again, in ms; rarely before a remote service, which counts each read. */
export const trendEveryMs = () => (about.value?.local ? 10_000 : 60_000);

/** Reads a trend over a range, and again from time to time. `key` names what is read, and stays the same while time passes. */
export function useTrend<N extends 'getDecisionTrend' | 'getEventTrend'>(
  name: N,
  query: Query,
  key: string,
): Resource<AnswerOf<N>> {
  return useResource(key, (signal) => call(name, { query, signal }), trendEveryMs());
}
