import type { Migration } from './migration.ts';

/** 2100-01-01T00:00:00Z, in unix ms. */
const OUT_OF_REACH = 4_102_444_800_000;

/**
 * Makes deliveries with an out-of-range `due_at` due now. Earlier versions accepted any Retry-After, even beyond the
 * range of a date: such a delivery was never sent, and its subscription's list could not be read.
 */
export const dueInReach: Migration = {
  id: 6,
  up: () => [
    `UPDATE delivery SET due_at = COALESCE(first_attempt_at, occurred_at) WHERE due_at > ${OUT_OF_REACH}`,
  ],
};
