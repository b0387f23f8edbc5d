// Made by `npm run generate` from src/commands.
import type { LoadableCommand } from './find-command.ts';

/** Loads the code of a command by its id. */
export const COMMANDS: Readonly<Record<string, () => Promise<{ default: LoadableCommand }>>> = {
  api: () => import('../commands/api.ts'),
  'data:export': () => import('../commands/data/export.ts'),
  'data:reset': () => import('../commands/data/reset.ts'),
  decide: () => import('../commands/decide.ts'),
  'decisions:evaluate': () => import('../commands/decisions/evaluate.ts'),
  demo: () => import('../commands/demo.ts'),
  doctor: () => import('../commands/doctor.ts'),
  'events:import': () => import('../commands/events/import.ts'),
  'events:send': () => import('../commands/events/send.ts'),
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
  'regions:list': () => import('../commands/regions/list.ts'),
  serve: () => import('../commands/serve.ts'),
  'serve:exec': () => import('../commands/serve/exec.ts'),
  'serve:migrate': () => import('../commands/serve/migrate.ts'),
  'users:import': () => import('../commands/users/import.ts'),
  'webhooks:create': () => import('../commands/webhooks/create.ts'),
  'webhooks:delete': () => import('../commands/webhooks/delete.ts'),
  'webhooks:deliveries': () => import('../commands/webhooks/deliveries.ts'),
  'webhooks:get': () => import('../commands/webhooks/get.ts'),
  'webhooks:list': () => import('../commands/webhooks/list.ts'),
  'webhooks:listen': () => import('../commands/webhooks/listen.ts'),
  'webhooks:redeliver': () => import('../commands/webhooks/redeliver.ts'),
  'webhooks:replay': () => import('../commands/webhooks/replay.ts'),
  'webhooks:rotate': () => import('../commands/webhooks/rotate.ts'),
  'webhooks:send': () => import('../commands/webhooks/send.ts'),
  'webhooks:sign': () => import('../commands/webhooks/sign.ts'),
  'webhooks:test': () => import('../commands/webhooks/test.ts'),
  'webhooks:update': () => import('../commands/webhooks/update.ts'),
  'webhooks:verify': () => import('../commands/webhooks/verify.ts'),
};

/** Other names of commands, and the ids they stand for. */
export const ALIASES: Readonly<Record<string, string>> = {
  notify: 'notifications:trigger',
};
