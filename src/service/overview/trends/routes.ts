import type { Catalogs } from '../../catalog/follow.ts';
import { eventHeads } from '../../events/store/event-heads.ts';
import { refusedBatches } from '../../events/store/refused-batches.ts';
import type { Endpoints } from '../../http/endpoint.ts';
import { isDelivered, latencyOf, performanceOf } from '../../webhooks/rules/performance.ts';
import { SHORT_MS } from '../../webhooks/store/performance.ts';
import { HOUR_MS, overviews } from '../store.ts';
import { decisionTrend } from './decision-trend.ts';
import { goalTrends } from './goal-trends.ts';
import { byStep, type ShortSteps, type Steps, stepAt, stepsOf, viewOf } from './steps.ts';
import { type AttemptRow, trends } from './store.ts';

/** Contents that a trend has by name, where it is not said how many. */
const CONTENTS = 5;

/** Of events by time, which are found by their order. */
export const EVENT_STEPS: ShortSteps = { lengths: [2, 10].map((n) => n * 60_000), keptMs: Infinity };
/** Of attempts to deliver. */
export const ATTEMPT_STEPS: ShortSteps = { lengths: [SHORT_MS], keptMs: HOUR_MS };

/** What happened over a range of time, for charts: each reads a bounded number of counters. */
export const trendEndpoints = (catalogs: Catalogs): Endpoints => ({
  getDecisionTrend: {
    priority: 'page',
    handle: async ({ tx, workspace, query, now }) => {
      const steps = stepsOf(query, now);
      const contentIds = await trends.mostServed(tx, workspace.id, steps, Number(query.contents ?? CONTENTS));
      const rows = await trends.counts(tx, workspace.id, steps, ['', ...contentIds]);
      const catalog = await catalogs.of(tx, workspace.id);
      const goals = await goalTrends(tx, workspace.id, catalog, steps, contentIds, rows);
      return { body: decisionTrend(steps, contentIds, rows, goals) };
    },
  },

  getEventTrend: {
    priority: 'page',
    handle: async ({ tx, workspace, query, now }) => {
      const steps = stepsOf(query, now, EVENT_STEPS);
      const { number } = await eventHeads.get(tx, workspace.id);
      const times = Array.from({ length: steps.count + 1 }, (_, i) =>
        Math.min(steps.from + i * steps.stepMs, steps.until),
      );
      const stored = await overviews.events(tx, workspace.id, number, times);
      // These are counted by the hour.
      const hours = steps.stepMs < HOUR_MS ? stepsOf(query, now) : steps;
      const refused = await refusedBatches.between(tx, workspace.id, hours.from, hours.until);
      const refusedFrom = viewOf(hours).from;
      return { body: { ...viewOf(steps), stored, refused: byStep(hours, refused), refusedFrom } };
    },
  },

  getDeliveryTrend: {
    priority: 'page',
    handle: async ({ tx, workspace, query, now }) => {
      const steps = stepsOf(query, now, ATTEMPT_STEPS);
      const { rows, capped } = await trends.attempts(tx, workspace.id, steps, query.webhookId);
      const from = now - HOUR_MS - ((now - HOUR_MS) % SHORT_MS);
      const short = { from, until: steps.until, width: SHORT_MS };
      // Over short steps these are the same, and there are none of a range that ended before.
      const lately =
        steps.width > SHORT_MS && steps.until > from
          ? (await trends.attempts(tx, workspace.id, short, query.webhookId)).rows
          : [];
      return { body: { ...deliveryTrend(steps, rows, { from, rows: lately }), capped } };
    },
  },
});

/** What was counted in short parts of time, from a time on, Unix ms. */
interface Lately {
  readonly from: number;
  readonly rows: readonly AttemptRow[];
}

function deliveryTrend(steps: Steps, rows: readonly AttemptRow[], lately: Lately): object {
  const ofStep = rowsByStep(steps, rows);
  const latencies = ofStep.map(latencyOf);
  return {
    ...viewOf(steps),
    attempts: byStep(steps, rows),
    delivered: ofStep.map(deliveredOf),
    boundsMs: latencyOf([]).boundsMs,
    answered: latencies.map(({ answered }) => answered),
    p95Ms: performanceOf(rows).p95Ms ?? null,
    subscriptions: bySubscription(rows).map(([webhookId, own]) => ({
      webhookId,
      ...performanceOf(own),
      attemptsByStep: byStep(steps, own),
      deliveredByStep: rowsByStep(steps, own).map(deliveredOf),
      ...lastFailureOf(steps, own, {
        ...lately,
        rows: lately.rows.filter((row) => row.webhookId === webhookId),
      }),
    })),
  };
}

const rowsByStep = (steps: Steps, rows: readonly AttemptRow[]): AttemptRow[][] => {
  const grouped = Array.from({ length: steps.count }, (): AttemptRow[] => []);
  for (const row of rows) grouped[stepAt(steps, row.at)]?.push(row);
  return grouped;
};

const deliveredOf = (rows: readonly AttemptRow[]): number => performanceOf(rows).delivered;

/** When the last attempt failed, at the latest, and how many succeeded since: as exactly as they are counted. */
function lastFailureOf(steps: Steps, rows: readonly AttemptRow[], lately: Lately): object {
  const lastOf = (of: readonly AttemptRow[]) =>
    Math.max(...of.filter((row) => !isDelivered(row)).map(({ at }) => at));
  const width = Math.min(steps.width, HOUR_MS);
  const short = lastOf(lately.rows) + SHORT_MS;
  const end = lastOf(rows) + width;
  if (end === -Infinity) return {};
  const [before, since] =
    short > 0
      ? [short, lately.rows.filter(({ at }) => at >= short)]
      : [
          width > SHORT_MS ? Math.min(end, lately.from) : end,
          [...rows.filter(({ at }) => at >= end), ...lately.rows.filter(({ at }) => at < end)],
        ];
  return { lastFailure: { before: new Date(before).toISOString(), delivered: deliveredOf(since) } };
}

/** Groups attempts by their subscription. */
export function bySubscription(rows: readonly AttemptRow[]): (readonly [string, readonly AttemptRow[]])[] {
  const grouped = new Map<string, AttemptRow[]>();
  for (const row of rows) {
    const own = grouped.get(row.webhookId);
    if (own) own.push(row);
    else grouped.set(row.webhookId, [row]);
  }
  return [...grouped].sort(([a], [b]) => (a < b ? -1 : 1));
}
