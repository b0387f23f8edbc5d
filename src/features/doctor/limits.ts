import type { LimitRow } from '../limits/rows.ts';
import { type Check, ok, skipped, warn } from './check.ts';

/** Below this share left, a limit is worth a word. */
const SCARCE = 0.1;

/** What is left of the limits that were seen within the window. */
export function checkLimits(rows: readonly LimitRow[]): Check {
  const seen = rows.flatMap(({ group, limit, remaining, stale }) =>
    limit === null || remaining === null || stale ? [] : [{ group, limit, remaining }],
  );
  if (seen.length === 0) return skipped('limits', 'the service sent no rate-limit headers lately');
  const text = seen.map(({ group, limit, remaining }) => `${group} ${remaining} of ${limit}`).join(', ');
  return seen.some(({ limit, remaining }) => remaining < limit * SCARCE)
    ? warn(
        'limits',
        `left: ${text}`,
        'see `svc limits --watch`; an import leaves room for others with --share',
      )
    : ok('limits', `left: ${text}`);
}
