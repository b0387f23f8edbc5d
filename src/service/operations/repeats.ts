import type { Log } from '../log.ts';

/** An error that comes again within so many ms is counted in place of being written. */
const QUIET_MS = 10_000;

/** Different errors that are remembered. */
const MOST = 500;

/**
 * Writes an error with the same message and reason once in ten seconds; the next line has how many were left out as
 * `repeated`. While a database is away, each request and each round of a worker fails in the same way.
 */
export function withoutRepeats(log: Log, now: () => number): Log {
  const known = new Map<string, { writtenAt: number; repeated: number }>();
  return (level, message, fields = {}) => {
    if (level !== 'error') return log(level, message, fields);
    const key = `${message}\n${fields.reason}`;
    const last = known.get(key);
    const at = now();
    if (last && at >= last.writtenAt && at - last.writtenAt < QUIET_MS) {
      last.repeated++;
      return;
    }
    if (known.size >= MOST) known.clear();
    known.set(key, { writtenAt: at, repeated: 0 });
    log(level, message, last && last.repeated > 0 ? { ...fields, repeated: last.repeated } : fields);
  };
}
