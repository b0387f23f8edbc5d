import type { Migration } from './migration.ts';

/** The traceparent of the request that caused a delivery or a notification: a retry after a restart belongs to its trace. */
export const traces: Migration = {
  id: 23,
  up: () => ['ALTER TABLE delivery ADD COLUMN trace TEXT', 'ALTER TABLE notification ADD COLUMN trace TEXT'],
};
