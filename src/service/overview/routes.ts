import { DELIVERY_STATES, NOTIFICATION_STATES } from '../../contract/schemas.ts';
import { eventHeads } from '../events/store/event-heads.ts';
import type { Endpoints } from '../http/endpoint.ts';
import type { LatestAnswers } from '../http/latest-answers.ts';
import type { Channels } from '../notifications/providers/settings.ts';
import { pipeline } from '../platform/store/pipeline.ts';
import { BACKUP, settings } from '../platform/store/settings.ts';
import { performanceOf } from '../webhooks/rules/performance.ts';
import { providerResults, providersOf } from './providers.ts';
import { byHour, HOUR_MS, HOURS, type Hourly, hoursSince, MOST_COUNTED, overviews } from './store.ts';
import { ATTEMPT_STEPS, bySubscription } from './trends/routes.ts';
import { stepsOf } from './trends/steps.ts';
import { trends } from './trends/store.ts';

type CountedRows = Awaited<ReturnType<typeof overviews.counted>>;

/** What an overview needs of the service beside its data. */
interface OverviewNeeds {
  readonly channels: Pick<Channels, 'configured'>;
  readonly decided: LatestAnswers;
}

export const overviewEndpoints = ({ channels, decided }: OverviewNeeds): Endpoints => ({
  getOverview: {
    priority: 'page',
    handle: async ({ tx, workspace, now }) => {
      const { id } = workspace;
      // Hours of the clock, since what was served is counted by these.
      const from = Math.floor(now / HOUR_MS) * HOUR_MS - (HOURS - 1) * HOUR_MS;
      const { number } = await eventHeads.get(tx, id);
      const dayMs = HOURS * HOUR_MS;
      const times = [from - dayMs, now - dayMs, ...hoursSince(from)];
      const [eventsBefore, , ...events] = await overviews.events(tx, id, number, times);
      const [decisionsBefore, , ...decisions] = await overviews.decisions(tx, id, times);
      const notifications = await pipeline(
        NOTIFICATION_STATES.map((status) => overviews.notifications(tx, id, status, from)),
      );
      const deliveries = await pipeline(
        DELIVERY_STATES.map((status) => overviews.deliveries(tx, id, status, from)),
      );
      // Those that the trend of a day has, so that both say the same.
      const { rows } = await trends.attempts(tx, id, stepsOf({}, now, ATTEMPT_STEPS), undefined);
      const attempts = performanceOf(rows);
      const since = new Date(now - HOUR_MS).toISOString();
      const lately = await trends.attempts(tx, id, stepsOf({ since }, now, ATTEMPT_STEPS), undefined);
      const outcomes = await overviews.outcomes(tx, id, from);
      const whole = await overviews.counted(tx, id, from);
      const sent = await providerResults(tx, id);
      const present = await overviews.present(tx, id);
      const backup = await settings.get<number>(tx, BACKUP);
      const tapped = outcomes.filter(({ type }) => type === 'clicked' || type === 'actioned');
      return {
        body: {
          at: new Date(now).toISOString(),
          from: new Date(from).toISOString(),
          before: {
            events: eventsBefore,
            decisions: decisionsBefore! < MOST_COUNTED ? decisionsBefore : null,
          },
          events: { stored: number, byHour: events },
          decisions: {
            byHour: decisions,
            latency: decided.quantiles(),
            counted: {
              learned: sumOf(whole.filter(({ policy }) => policy === 'learned')),
              holdout: sumOf(whole.filter(({ policy }) => policy === 'holdout')),
              weights: sumOf(whole.filter(({ policy }) => policy === 'weights')),
            },
          },
          messages: {
            servedByHour: servedByHour(whole, from),
            rewarded: whole.reduce((sum, { rewarded }) => sum + rewarded, 0),
            waiting: await overviews.waiting(tx, id),
            tappedByHour: byHour(tapped),
          },
          notifications: Object.fromEntries(NOTIFICATION_STATES.map((state, i) => [state, notifications[i]])),
          deliveries: {
            ...Object.fromEntries(DELIVERY_STATES.map((state, i) => [state, deliveries[i]])),
            attempts: attempts.attempts,
            attemptsSucceeded: attempts.delivered,
            p95Ms: attempts.p95Ms ?? null,
            lastHour: bySubscription(lately.rows).map(([webhookId, own]) => {
              const { attempts, delivered } = performanceOf(own);
              return { webhookId, attempts, delivered };
            }),
          },
          providers: workspace.mode === 'live' ? providersOf(channels.configured, sent) : [],
          has: present,
          lastBackupAt: backup === undefined ? null : new Date(backup).toISOString(),
          capped: isCapped(decisions, [...notifications, ...deliveries]),
        },
      };
    },
  },
});

const sumOf = (rows: readonly { readonly served: number }[]) =>
  rows.reduce((sum, { served }) => sum + served, 0);

const servedByHour = (rows: CountedRows, from: number): Hourly =>
  byHour(rows.map(({ bucket, served }) => ({ hour: (bucket - from) / HOUR_MS, n: served })));

/** True if a count has reached its bound, so that it may be more. */
const isCapped = (hours: Hourly, states: readonly Hourly[]): boolean =>
  hours.some((n) => n >= MOST_COUNTED) ||
  states.some((counts) => counts.reduce((sum, n) => sum + n, 0) >= MOST_COUNTED);
