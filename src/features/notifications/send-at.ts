import { SvcError } from '../../cli/errors/svc-error.ts';
import { isUnsupported } from '../../cli/errors/unsupported-operation.ts';
import { parseDuration } from '../../cli/flags/duration.ts';
import type { Client } from '../../client/client.ts';
import { isDateTime } from '../../contract/timestamp.ts';
import { objectOf } from '../../kit/object-of.ts';

/** A value of --send-at: a time, or how long from now. */
type SendAt = { readonly at: number } | { readonly inMs: number };

const EXAMPLES = { hint: 'write for example --send-at 2h, or --send-at 2026-03-01T08:00:00Z' };

/** Parses a value of --send-at. Throws usage. */
export function parseSendAt(text: string): SendAt {
  // Seconds may be left out, as in other times that are typed.
  if (isDateTime(text.replace(/(T\d\d:\d\d)(?=Z|[+-])/, '$1:00'))) return { at: Date.parse(text) };
  if (!text.includes('-')) return { inMs: parseDuration(text, '--send-at') };
  throw new SvcError('usage', `--send-at ${text} is not a time that exists, with its offset`, EXAMPLES);
}

/** Returns the time in UTC at which a notification is to be sent. `now` is the time of this machine. */
export async function sendTimeOf(
  given: SendAt,
  client: Client,
  now: number,
  signal: AbortSignal,
): Promise<string> {
  const at = 'at' in given ? given.at : (await serviceTime(client, now, signal)) + given.inMs;
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) throw new SvcError('usage', '--send-at is too far ahead', EXAMPLES);
  return time.toISOString();
}

/** Reads the time of the service, whose clock a test may have moved; `now` where it has no such clock. */
async function serviceTime(client: Client, now: number, signal: AbortSignal): Promise<number> {
  try {
    const { body } = await client.call('getClock', { query: {}, signal });
    const at = Date.parse(String(objectOf(body).now));
    return Number.isNaN(at) ? now : at;
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    return now;
  }
}
