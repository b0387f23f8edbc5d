import { toSvcError } from '../cli/failure.ts';
import type { Client } from '../client/client.ts';
import { ApiError, isLacking, TransportError } from '../client/errors.ts';
import { webPage } from '../client/web-page.ts';
import { type Check, fail, ok, skipped, warn } from './check.ts';
import { checkRegion, type Expected } from './region.ts';

/** What the one cheap read told. */
interface Told {
  readonly headers: Readonly<Record<string, string>>;
  readonly tookMs: number;
  /** Middle of the exchange, in Unix ms by this machine's clock. */
  readonly at: number;
}

/** More than whole seconds and a slow network explain, in ms. */
const SKEW_MS = 3000;

/**
 * Key, region and clock, by one cheap read (GET /v1/webhooks). `now` gives Unix ms; `otherAddress` is what to try where
 * the service does not have that.
 */
export async function checkService(
  client: Client,
  expected: Expected | undefined,
  now: () => number,
  signal: AbortSignal,
  otherAddress: string | undefined,
): Promise<Check[]> {
  const start = now();
  const told = (headers: Told['headers']): Told => ({
    headers,
    tookMs: now() - start,
    at: (start + now()) / 2,
  });
  try {
    const { headers, text } = await client.call('listWebhooks', { signal });
    const seen = told(headers);
    const page = webPage(text);
    return [
      page === undefined
        ? ok('key', `accepted, ${Math.round(seen.tookMs)} ms`)
        : fail('key', toSvcError(new TransportError('answer', true, page), false)),
      checkRegion(seen, expected),
      checkClock(seen),
    ];
  } catch (error) {
    if (!(error instanceof ApiError)) return [fail('key', toSvcError(error, false))];
    const seen = told(error.headers);
    const key = isLacking(error) ? untried(otherAddress) : fail('key', toSvcError(error, false));
    return [key, checkRegion(seen, expected), checkClock(seen)];
  }
}

function untried(otherAddress: string | undefined): Check {
  const seen = 'not tried: this service has no GET /v1/webhooks, and every other call has an effect';
  return otherAddress === undefined ? skipped('key', seen) : warn('key', seen, otherAddress);
}

function checkClock({ headers, at }: Pick<Told, 'headers' | 'at'>): Check {
  const date = Date.parse(headers.date ?? '');
  if (Number.isNaN(date)) return skipped('clock', 'the service does not tell its time');
  // The header holds whole seconds: half of one is the best guess of what was cut off.
  const skew = at - (date + 500);
  const seconds = Math.round(Math.abs(skew) / 1000);
  if (Math.abs(skew) <= SKEW_MS) return ok('clock', 'agrees with the service');
  return warn(
    'clock',
    `this machine is ${seconds} s ${skew > 0 ? 'ahead of' : 'behind'} the service`,
    'set the clock (NTP): timestamps of events and signatures of deliveries depend on it',
  );
}
