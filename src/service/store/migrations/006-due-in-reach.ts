import type { Migration } from './migration.ts';

/** 2100-01-01T00:00:00Z, in unix ms. */
const OUT_OF_REACH = 4_102_444_800_000;

/**
 * Earlier versions obeyed any Retry-After, also one beyond the last time that a date can hold: such a delivery would
 * never be sent, and its subscription's list could not be read. It is due now.
 */
export const dueInReach: Migration = {
  id: 6,
  up: () => [
    `UPDATE delivery SET due_at = COALESCE(first_attempt_at, occurred_at) WHERE due_at > ${OUT_OF_REACH}`,
  ],
};
