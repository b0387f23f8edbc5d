import type { Output } from '../terminal/output.ts';
import type { World } from '../terminal/world.ts';

const OVERRIDING = ['SVC_BASE_URL', 'SVC_WORKSPACE', 'SVC_API_KEY', 'SVC_REGION'];

/** Notifies of environment variables that override the profile in use: exported variables are easily forgotten. */
export function noticeEnvironment(out: Output, { env }: Pick<World, 'env'>): void {
  if (env.SVC_PROFILE) out.notice(`SVC_PROFILE=${env.SVC_PROFILE} overrides the profile in use`);
  const set = OVERRIDING.filter((name) => env[name]);
  if (set.length > 0)
    out.notice(
      `exported variables override every profile: ${set.join(', ')}; \`svc doctor\` shows what is used`,
    );
}
