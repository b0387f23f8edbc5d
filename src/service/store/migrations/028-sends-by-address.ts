import type { IndexDefinition, Migration } from './migration.ts';

const BY_ADDRESS: IndexDefinition = {
  name: 'notification_send_by_address',
  on: 'notification_send (workspace_id, address_hash)',
  unique: false,
};

/** Says whether a workspace has sent to an address, on which alone a STOP acts. */
export const sendsByAddress: Migration = {
  id: 28,
  indexes: () => [BY_ADDRESS],
  up: () => [`CREATE INDEX IF NOT EXISTS ${BY_ADDRESS.name} ON ${BY_ADDRESS.on}`],
};
