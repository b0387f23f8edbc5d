import { SvcError } from '../../cli/errors/svc-error.ts';
import { parseDuration } from '../../cli/flags/duration.ts';
import { startsWithDate } from '../../contract/timestamp.ts';

/** A value of --since: a duration before now, or a time. Returns the time in UTC. Throws usage. */
export function parseSince(text: string, now: number): string {
  if (startsWithDate(text)) {
    const at = Date.parse(text);
    if (!Number.isNaN(at) && at <= now) return new Date(at).toISOString();
    throw new SvcError(
      'usage',
      `--since ${text} is ${Number.isNaN(at) ? 'not a time' : 'in the future'}`,
      EXAMPLES,
    );
  }
  if (!/^\d/.test(text))
    throw new SvcError('usage', `--since ${text} is neither a duration nor a time`, EXAMPLES);
  const ms = parseDuration(text, '--since');
  const at = new Date(now - ms);
  if (Number.isNaN(at.getTime()) || at.getTime() < 0)
    throw new SvcError('usage', `--since ${text} is before 1970`, EXAMPLES);
  return at.toISOString();
}

const EXAMPLES = { hint: 'write for example --since 6h, or --since 2026-03-01T00:00:00Z' };
