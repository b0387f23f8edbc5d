import { core } from './001-core.ts';
import { decisions } from './002-decisions.ts';
import { notificationsAndWebhooks } from './003-notifications-and-webhooks.ts';
import { postgresLimiter } from './004-postgres-limiter.ts';
import { servedDecisions } from './010-served-decisions.ts';
import type { Migration } from './migration.ts';

/** Every migration, in the order of its number. */
export const MIGRATIONS: readonly Migration[] = [
  core,
  decisions,
  notificationsAndWebhooks,
  postgresLimiter,
  servedDecisions,
];

/** The schema version that this program writes. */
export const SCHEMA_VERSION = MIGRATIONS.at(-1)!.id;
