import type { Output } from '../terminal/output.ts';
import type { World } from '../terminal/world.ts';

const BEFORE_A_PROFILE = ['SVC_BASE_URL', 'SVC_WORKSPACE', 'SVC_API_KEY', 'SVC_REGION'];

/** Says which variables of the environment come before the profile in use: what is exported is easily forgotten. */
export function noticeEnvironment(out: Output, { env }: Pick<World, 'env'>): void {
  if (env.SVC_PROFILE) out.notice(`SVC_PROFILE=${env.SVC_PROFILE} comes before the profile in use`);
  const set = BEFORE_A_PROFILE.filter((name) => env[name]);
  if (set.length > 0)
    out.notice(`exported, and so before any profile: ${set.join(', ')}; \`svc doctor\` shows what is used`);
}
