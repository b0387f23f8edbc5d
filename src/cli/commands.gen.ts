// Made by `npm run generate` from src/commands.
import type { Command } from '@oclif/core';

/** Loads the code of a command by its id. */
export const COMMANDS: Readonly<Record<string, () => Promise<{ default: typeof Command }>>> = {
  api: () => import('../commands/api.ts'),
  decide: () => import('../commands/decide.ts'),
  'decisions:evaluate': () => import('../commands/decisions/evaluate.ts'),
  'events:import': () => import('../commands/events/import.ts'),
  'events:tail': () => import('../commands/events/tail.ts'),
  limits: () => import('../commands/limits.ts'),
  'messages:list': () => import('../commands/messages/list.ts'),
  'messages:outcome': () => import('../commands/messages/outcome.ts'),
  'notifications:get': () => import('../commands/notifications/get.ts'),
  'notifications:outcome': () => import('../commands/notifications/outcome.ts'),
  'notifications:trigger': () => import('../commands/notifications/trigger.ts'),
  'notifications:watch': () => import('../commands/notifications/watch.ts'),
  'profiles:add': () => import('../commands/profiles/add.ts'),
  'profiles:list': () => import('../commands/profiles/list.ts'),
  'profiles:remove': () => import('../commands/profiles/remove.ts'),
  'profiles:rename': () => import('../commands/profiles/rename.ts'),
  'profiles:show': () => import('../commands/profiles/show.ts'),
  'profiles:use': () => import('../commands/profiles/use.ts'),
  serve: () => import('../commands/serve.ts'),
  'webhooks:create': () => import('../commands/webhooks/create.ts'),
  'webhooks:delete': () => import('../commands/webhooks/delete.ts'),
  'webhooks:deliveries': () => import('../commands/webhooks/deliveries.ts'),
  'webhooks:get': () => import('../commands/webhooks/get.ts'),
  'webhooks:list': () => import('../commands/webhooks/list.ts'),
  'webhooks:redeliver': () => import('../commands/webhooks/redeliver.ts'),
  'webhooks:rotate': () => import('../commands/webhooks/rotate.ts'),
  'webhooks:update': () => import('../commands/webhooks/update.ts'),
};
