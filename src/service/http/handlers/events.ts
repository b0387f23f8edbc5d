import { events } from '../../store/events.ts';
import type { Handlers } from '../call.ts';

export const eventHandlers: Handlers = {
  ingestEvents: async ({ tx, workspace, text, requestId }) => {
    const accepted = await events.append(tx, workspace.id, text);
    return { body: { accepted, requestId } };
  },
};
