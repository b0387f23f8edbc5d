import type { Invocation } from '../../cli/invocation/invocation.ts';
import type { LimitRow } from '../limits/rows.ts';
import { type Check, ok, skipped, warn } from './check.ts';

/** Warns if less than this share of a limit is left. */
const SCARCE = 0.1;

/** Checks how much is left of the limits that were observed within the window. */
export function checkLimits(rows: readonly LimitRow[], invocation: Invocation): Check {
  const seen = rows.flatMap(({ group, limit, remaining, stale }) =>
    limit === null || remaining === null || stale ? [] : [{ group, limit, remaining }],
  );
  if (
    seen.length === 0 &&
    rows.some(({ limit, seenAt, stale }) => limit === null && seenAt !== null && !stale)
  )
    return ok('limits', 'the service has no rate limits');
  if (seen.length === 0) return skipped('limits', 'no recent rate-limit headers from the service');
  const text = seen.map(({ group, limit, remaining }) => `${group} ${remaining} of ${limit}`).join(', ');
  return seen.some(({ limit, remaining }) => remaining < limit * SCARCE)
    ? warn(
        'limits',
        `left: ${text}`,
        `to watch the limits: ${invocation.onSameService('limits', '--watch')}; import with --share to leave capacity for others`,
      )
    : ok('limits', `left: ${text}`);
}
