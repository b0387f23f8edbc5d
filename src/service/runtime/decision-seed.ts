import { createHmac, randomBytes } from 'node:crypto';

/** The seed of one decision: of the nth decision for a hashId in a workspace. */
export type DecisionSeed = (workspaceId: string, hashId: string, nth: number) => string;

/**
 * Seeds that nobody can foresee, or, with a seed given (SVC_SEED), the same ones in every run. A seed depends on the
 * user and on how many decisions the user had, so a run repeats itself even where requests of many users arrive in
 * another order.
 */
export function decisionSeeds(seed: string | undefined): DecisionSeed {
  const key = seed === undefined ? randomBytes(32) : Buffer.from(seed);
  return (workspaceId, hashId, nth) =>
    createHmac('sha256', key)
      .update(JSON.stringify([seed === undefined ? workspaceId : '', hashId, nth]))
      .digest('hex')
      .slice(0, 16);
}
