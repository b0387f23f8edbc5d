import { startsWithDate } from '../../contract/timestamp.ts';
import { SvcError } from '../errors/svc-error.ts';
import { Flags } from './oclif.ts';

/**
 * Parses a time of a flag, a date or a date-time in ISO 8601, into UTC. Throws usage, also for a date that does not exist:
 * Date.parse makes the 2nd of March of the 30th of February.
 */
async function parseInstant(text: string): Promise<string> {
  if (!startsWithDate(text) || Number.isNaN(Date.parse(text)))
    throw new SvcError('usage', `${text} is not a time`, {
      hint: 'write a time such as 2026-03-01T00:00:00Z',
    });
  return new Date(text).toISOString();
}

/** A flag for the end of a span of time. */
export const untilFlag = (what: string) =>
  Flags.string({ summary: `only ${what} before this time`, helpValue: 'TIME', parse: parseInstant });

/** The flags of a span of time. `what` is in the plural, such as `decisions made`. */
export const spanFlags = (what: string) => ({
  since: Flags.string({ summary: `only ${what} from this time on`, helpValue: 'TIME', parse: parseInstant }),
  until: untilFlag(what),
});
