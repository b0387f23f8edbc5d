import { core } from './001-core.ts';
import type { Migration } from './migration.ts';

/** Every migration, in the order of its number. */
export const MIGRATIONS: readonly Migration[] = [core];

/** The schema version that this program writes. */
export const SCHEMA_VERSION = MIGRATIONS.at(-1)!.id;
