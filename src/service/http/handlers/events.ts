import { events } from '../../store/repositories/events.ts';
import { recentEvents } from '../../store/repositories/recent-events.ts';
import type { Handlers } from '../call.ts';

export const eventHandlers: Handlers = {
  ingestEvents: async ({ tx, workspace, body, requestId, deps }) => ({
    body: { accepted: body.length, requestId },
    // Locks the head of the workspace, so that its senders wait for each other only while events are inserted.
    last: async () => {
      const { first, names, erasing } = await events.append(tx, workspace.id, body);
      const recent = [...body.named(names)].flatMap(([i, { userId, event, timestamp }]) =>
        erasing.has(userId) ? [] : [{ number: first + i, userId, event, at: Date.parse(timestamp) }],
      );
      if (recent.length > 0) await recentEvents.add(tx, workspace.id, recent);
      deps.signals.note(workspace.id, body, erasing);
    },
  }),
};
