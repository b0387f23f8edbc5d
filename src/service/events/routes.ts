import { ServiceError } from '../../contract/errors.ts';
import { catalogVersions } from '../catalog/catalog-versions.ts';
import { type Catalogs, storedCatalog } from '../catalog/follow.ts';
import type { Endpoints } from '../http/endpoint.ts';
import { withBody } from '../http/endpoint.ts';
import { due } from '../platform/store/due.ts';
import { pipeline } from '../platform/store/pipeline.ts';
import type { Store } from '../platform/store/store.ts';
import { workspaces } from '../platform/store/workspaces.ts';
import type { EventSignals } from './event-signals.ts';
import { readBatch } from './ingest/batch.ts';
import { checkClientBatch } from './ingest/client-batch.ts';
import { judgeBatch } from './ingest/judge-batch.ts';
import type { Refusals } from './refusals.ts';
import { eventHeads } from './store/event-heads.ts';
import { eventRuns } from './store/event-runs.ts';
import { eventViolations } from './store/event-violations.ts';
import { events } from './store/events.ts';
import type { KnownIds } from './store/ids/known-ids.ts';
import { recentEvents } from './store/recent-events.ts';

/** Batches of a workspace that are stored at a time: they lock its event head. See MAX_OUTCOMES in webhooks. */
const MAX_BATCHES = 5;

/** What ingest needs of the service. */
interface EventNeeds {
  readonly store: Store;
  readonly catalogs: Catalogs;
  readonly signals: EventSignals;
  readonly refusals: Refusals;
  readonly known: KnownIds;
}

/** Days that are counted unless the request says otherwise. */
const DAYS = 7;

export const eventEndpoints = ({ store, catalogs, signals, refusals, known }: EventNeeds): Endpoints => ({
  getEventPlan: async ({ tx, workspace, query }) => {
    const { eventPlan } = await catalogs.of(tx, workspace.id);
    const { version } = (await storedCatalog(tx, workspace.id, await catalogVersions.head(tx, workspace.id)))
      .current;
    const days = Number(query.days ?? DAYS);
    const { counts, others, othersRefused } = await eventViolations.list(tx, workspace.id, days);
    return {
      body: {
        version,
        events: eventPlan?.events.size ?? null,
        violations: eventPlan?.action ?? null,
        unknownEvents: eventPlan?.unknownEvents ?? null,
        days,
        counts: counts.map(({ last, property, ...counted }) => ({
          ...counted,
          property: property || null,
          lastAt: new Date(last).toISOString(),
        })),
        others,
        othersRefused,
      },
    };
  },

  ingestEvents: withBody(readBatch, {
    priority: 'bulk',
    refused: (workspaceId) => refusals.note(workspaceId),
    concurrencyKeys: () => [{ key: 'ingest', max: MAX_BATCHES }],
    prepare: (workspaceId, batch) => (batch?.ids() ? known.prepare(store, workspaceId) : undefined),
    handle: async ({ tx, workspace, onlyUser, client, body, run, requestId }) => {
      if (client) {
        if (run !== undefined) throw new ServiceError('forbidden', 'An app sends no runs of imports.');
        const key = await workspaces.hashKey(tx, workspace.id);
        checkClientBatch(body, { key, onlyUser, allowed: client.events, now: tx.now });
      }
      const { goalEvents, eventPlan } = await catalogs.of(tx, workspace.id);
      const violated = eventPlan && judgeBatch(eventPlan, body);
      if (violated?.refusal) {
        const count = async () => {
          await eventHeads.lock(tx, workspace.id);
          await eventViolations.add(tx, workspace.id, violated.refused(), 'refused');
        };
        return {
          error: violated.refusal,
          beforeCommit: count,
          afterCommit: () => refusals.note(workspace.id),
        };
      }
      const origin = client ? 'client' : 'server';
      // Locks the head of the workspace, so that its senders wait for each other only while events are inserted.
      const append = async () => {
        const { first, names, erasing, found } = await events.append(tx, workspace.id, body, known, origin);
        const isStored = (i: number, userId: string) => !erasing.has(userId) && !found?.repeated.has(i);
        const recent = [...body.named(names)].flatMap(([i, { userId, event, timestamp }]) =>
          isStored(i, userId) ? [{ number: first + i, userId, event, at: Date.parse(timestamp) }] : [],
        );
        if (run !== undefined && (await eventRuns.isTakenBack(tx, workspace.id, run)))
          throw new ServiceError('conflict', `The run ${run} was taken back: it cannot send more events.`);
        const last = first + body.length - 1;
        await pipeline([
          run !== undefined && eventRuns.add(tx, workspace.id, run, { first, last }),
          recent.length > 0 && recentEvents.add(tx, workspace.id, recent),
        ]);
        signals.note(workspace.id, body, isStored);
        if (violated) await eventViolations.add(tx, workspace.id, violated.stored(isStored), 'stored');
        if (
          goalEvents.length > 0 &&
          [...body.named(goalEvents)].some(([i, { userId }]) => isStored(i, userId))
        )
          await due.mark(tx, workspace.id, 'goals');
        return (
          found && {
            repeated: found.repeated.size,
            committed: () => found.committed(first + body.length - 1),
          }
        );
      };
      const accepted = body.length;
      if (!body.ids())
        return { body: { accepted, requestId }, beforeCommit: async () => void (await append()) };
      // The answer, which an idempotency key keeps, counts the repeated ones.
      const { repeated, committed } = (await append())!;
      return { body: { accepted, duplicates: repeated, requestId }, afterCommit: committed };
    },
  }),
});
