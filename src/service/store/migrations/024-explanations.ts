import type { Migration } from './migration.ts';

/**
 * Why a decision was made and what was excluded by which rule; which secrets signed an attempt. The secret that a
 * subscription has now is its version 1.
 */
export const explanations: Migration = {
  id: 24,
  up: () => [
    'ALTER TABLE decision ADD COLUMN reason TEXT',
    'ALTER TABLE decision ADD COLUMN removed TEXT',
    'ALTER TABLE webhook ADD COLUMN secret_version INTEGER NOT NULL DEFAULT 1',
    'ALTER TABLE delivery_attempt ADD COLUMN signed_by TEXT',
  ],
};
