import type { Migration } from './migration.ts';

/** What a workspace says of apps that use its publishable keys. */
export const clientKeys: Migration = {
  id: 15,
  up: () => [
    // A JSON list of origins. Null: no web page may use a publishable key.
    'ALTER TABLE workspace ADD COLUMN client_origins TEXT',
    // 1: the publishable keys of a test workspace need no user token.
    'ALTER TABLE workspace ADD COLUMN open_clients INTEGER NOT NULL DEFAULT 0',
  ],
};
