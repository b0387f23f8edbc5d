import type { Log } from '../platform/log.ts';

/** An error repeated within this many ms is counted instead of written. */
const INTERVAL_MS = 10_000;

/** Maximum number of different errors remembered. */
const MAX_ERRORS = 500;

/**
 * Writes errors with the same message and reason at most once in ten seconds. The next line has the number of omitted
 * ones as `repeated`. While a database is unavailable, every request and every worker fails in the same way.
 */
export function withoutRepeats(log: Log, now: () => number): Log {
  const known = new Map<string, { writtenAt: number; repeated: number }>();
  return (level, message, fields = {}) => {
    if (level !== 'error') return log(level, message, fields);
    const key = `${message}\n${fields.reason}`;
    const last = known.get(key);
    const at = now();
    if (last && at >= last.writtenAt && at - last.writtenAt < INTERVAL_MS) {
      last.repeated++;
      return;
    }
    if (known.size >= MAX_ERRORS) known.clear();
    known.set(key, { writtenAt: at, repeated: 0 });
    log(level, message, last && last.repeated > 0 ? { ...fields, repeated: last.repeated } : fields);
  };
}
