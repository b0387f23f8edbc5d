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
  'profiles:add': () => import('../commands/profiles/add.ts'),
  'profiles:list': () => import('../commands/profiles/list.ts'),
  'profiles:remove': () => import('../commands/profiles/remove.ts'),
  'profiles:rename': () => import('../commands/profiles/rename.ts'),
  'profiles:show': () => import('../commands/profiles/show.ts'),
  'profiles:use': () => import('../commands/profiles/use.ts'),
  serve: () => import('../commands/serve.ts'),
};
