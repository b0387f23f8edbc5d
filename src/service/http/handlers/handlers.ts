import type { Handlers } from '../call.ts';
import { catalogHandlers } from './catalog.ts';
import { contentHandlers } from './contents.ts';
import { decideHandlers } from './decide.ts';
import { decisionLogHandlers } from './decisions.ts';
import { eventHandlers } from './events.ts';
import { messageHandlers } from './messages.ts';
import { notificationHandlers } from './notifications.ts';
import { timelineHandlers } from './timeline.ts';
import { userHandlers } from './users.ts';
import { webhookHandlers } from './webhooks.ts';

/** What answers each operation, but for the streams. */
export const handlers: Handlers = {
  ...eventHandlers,
  ...userHandlers,
  ...decideHandlers,
  ...decisionLogHandlers,
  ...messageHandlers,
  ...notificationHandlers,
  ...webhookHandlers,
  ...catalogHandlers,
  ...contentHandlers,
  ...timelineHandlers,
};
