import type { Migration } from './migration.ts';

/** What a decision earned before the settler wrote its first entry in the reward log. */
export const earned: Migration = {
  id: 21,
  up: () => ['ALTER TABLE decision ADD COLUMN earned DOUBLE PRECISION'],
};
