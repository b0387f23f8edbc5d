import type { Migration } from './migration.ts';

const AT = { name: 'receipt_seen_at', on: 'receipt_seen (workspace_id, at_ms)', unique: false } as const;

/** The receipts that are to be forgotten, by age. */
export const receiptAges: Migration = {
  id: 17,
  indexes: () => [AT],
  up: () => [`CREATE INDEX IF NOT EXISTS ${AT.name} ON ${AT.on}`],
};
