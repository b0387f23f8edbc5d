import type { Migration } from './migration.ts';

/** Hashes of the format and tags that the chosen content shared with others, as a JSON array; null without any. */
export const attributes: Migration = {
  id: 26,
  up: () => ['ALTER TABLE decision ADD COLUMN attributes TEXT'],
};
