import type { Invocation } from '../../cli/invocation/invocation.ts';
import { ago } from '../../cli/terminal/time.ts';
import { type Check, ok, warn } from './check.ts';

/** A backup older than this is reported, in ms. */
const OLD_MS = 7 * 86_400_000;

/** Says when the last backup was made; `at` is in Unix ms. */
export function checkBackup(at: number, now: number, invocation: Invocation): Check {
  const seen = `the last backup was made ${ago(at, now)}`;
  const today = new Date(now).toISOString().slice(0, 10);
  return now - at > OLD_MS
    ? warn(
        'backup',
        seen,
        `make another: ${invocation.onSameService('data', 'backup', `svc-${today}.backup`)}`,
      )
    : ok('backup', seen);
}
