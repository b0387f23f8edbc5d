import { createHmac, randomBytes } from 'node:crypto';

/** Returns the seed of the nth decision for a hashId in a workspace. */
export type DecisionSeed = (workspaceId: string, hashId: string, nth: number) => string;

/**
 * Creates unpredictable seeds or, with a given seed (SVC_SEED), reproducible ones. A seed depends on the user and the
 * user's number of decisions, so runs are reproducible even if the requests of different users arrive in another order.
 */
export function decisionSeeds(seed: string | undefined): DecisionSeed {
  const key = seed === undefined ? randomBytes(32) : Buffer.from(seed);
  return (workspaceId, hashId, nth) =>
    createHmac('sha256', key)
      .update(JSON.stringify([seed === undefined ? workspaceId : '', hashId, nth]))
      .digest('hex')
      .slice(0, 16);
}
