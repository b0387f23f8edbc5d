import type { Migration } from './migration.ts';

/** What a key is for, in words, and when a request last came with it (Unix ms, to about a minute). */
export const keyNames: Migration = {
  id: 29,
  up: (d) => [
    'ALTER TABLE api_key ADD COLUMN name TEXT',
    `ALTER TABLE api_key ADD COLUMN last_used_at ${d.bigint}`,
  ],
};
