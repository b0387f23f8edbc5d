import { events } from '../../store/repositories/events.ts';
import { recentEvents } from '../../store/repositories/recent-events.ts';
import type { Handlers } from '../call.ts';

export const eventHandlers: Handlers = {
  ingestEvents: async ({ tx, workspace, body, text, requestId, deps }) => {
    const accepted = await events.append(tx, workspace.id, text);
    const { names } = await recentEvents.index(tx);
    const recent = names.length === 0 ? [] : body.events.filter(({ event }) => names.includes(event));
    if (recent.length > 0)
      await recentEvents.add(
        tx,
        workspace.id,
        recent.map(({ userId, event, timestamp }) => ({ userId, event, at: Date.parse(timestamp) })),
      );
    deps.signals.note(workspace.id, body.events);
    return { body: { accepted, requestId } };
  },
};
