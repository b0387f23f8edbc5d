import { accountsTables } from './accounts.ts';
import { decisionsTables } from './decisions.ts';
import { distribution } from './distribution.ts';
import { eventsTables } from './events.ts';
import { limiter } from './limiter.ts';
import type { Migration } from './migration.ts';
import { notificationsTables } from './notifications.ts';
import { usersTables } from './users.ts';
import { webhooksTables } from './webhooks.ts';

/** The whole schema. Until 0.1.0 is released, a feature edits it; afterwards, it adds a migration. */
const baseline: Migration = {
  id: 1,
  up: (d) => [
    ...accountsTables(d),
    ...usersTables(d),
    ...eventsTables(d),
    ...decisionsTables(d),
    ...notificationsTables(d),
    ...webhooksTables(d),
    ...(d.name === 'postgres' ? [...limiter, distribution] : []),
  ],
};

/** All migrations, ordered by number. */
export const MIGRATIONS: readonly Migration[] = [baseline];

/** The schema version that a list of migrations leads to. */
export const versionOf = (migrations: readonly Migration[]): number => migrations.at(-1)!.id;
