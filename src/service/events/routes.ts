import type { Catalogs } from '../catalog/follow.ts';
import type { Endpoints } from '../http/endpoint.ts';
import { withBody } from '../http/endpoint.ts';
import { due } from '../platform/store/due.ts';
import type { EventSignals } from './event-signals.ts';
import { readBatch } from './ingest/batch.ts';
import { events } from './store/events.ts';
import { recentEvents } from './store/recent-events.ts';

/** Batches of a workspace that are stored at a time: they lock its event head. See MAX_OUTCOMES in webhooks. */
const MAX_BATCHES = 5;

export const eventEndpoints = (signals: EventSignals, catalogs: Catalogs): Endpoints => ({
  ingestEvents: withBody(readBatch, {
    priority: 'bulk',
    concurrencyKeys: () => [{ key: 'ingest', max: MAX_BATCHES }],
    handle: async ({ tx, workspace, body, requestId }) => ({
      body: { accepted: body.length, requestId },
      // Locks the head of the workspace, so that its senders wait for each other only while events are inserted.
      beforeCommit: async () => {
        const { first, names, erasing } = await events.append(tx, workspace.id, body);
        const recent = [...body.named(names)].flatMap(([i, { userId, event, timestamp }]) =>
          erasing.has(userId) ? [] : [{ number: first + i, userId, event, at: Date.parse(timestamp) }],
        );
        if (recent.length > 0) await recentEvents.add(tx, workspace.id, recent);
        signals.note(workspace.id, body, erasing);
        const { goalEvents } = await catalogs.of(tx, workspace.id);
        if (goalEvents.length > 0 && !body.named(goalEvents)[Symbol.iterator]().next().done)
          await due.mark(tx, workspace.id, 'goals');
      },
    }),
  }),
});
