import { toSvcError } from '../../cli/errors/to-svc-error.ts';
import type { Client } from '../../client/client.ts';
import { ApiError, isUnsupported } from '../../client/errors.ts';
import { type Check, fail, ok, skipped, warn } from './check.ts';
import { type Address, checkSign, type Seen } from './recognise.ts';
import { checkRegion, type Expected } from './region.ts';

/** More than whole seconds and a slow network explain, in ms. */
const SKEW_MS = 3000;

/** Service, key, region and clock, by one cheap read (GET /v1/webhooks). `now` gives Unix ms. */
export async function checkService(
  client: Client,
  expected: Expected | undefined,
  now: () => number,
  signal: AbortSignal,
  address: Address,
): Promise<Check[]> {
  const start = now();
  const rows = (seen: Seen, key: Check): Check[] => {
    const told = { headers: seen.headers, tookMs: now() - start, at: (start + now()) / 2 };
    const service = checkSign(seen, address);
    const untold = skipped('key', 'not tried on a server that is not known to be the service');
    return [service, service.status === 'fail' ? untold : key, checkRegion(told, expected), checkClock(told)];
  };
  try {
    const { status, headers, text, body } = await client.call('listWebhooks', { signal });
    return rows({ status, headers, text, body }, ok('key', `accepted, ${Math.round(now() - start)} ms`));
  } catch (error) {
    if (!(error instanceof ApiError)) return [fail('key', toSvcError(error, false))];
    const { status, headers, body } = error;
    const key = isUnsupported(error) ? untried(address.other) : fail('key', toSvcError(error, false));
    return rows({ status, headers, body, text: '' }, key);
  }
}

function untried(otherAddress: string | undefined): Check {
  const seen = 'not tried: this service has no GET /v1/webhooks, and every other call has an effect';
  return otherAddress === undefined ? skipped('key', seen) : warn('key', seen, otherAddress);
}

/** `at` is the middle of the exchange, in Unix ms by this machine's clock. */
function checkClock({ headers, at }: { readonly headers: Seen['headers']; readonly at: number }): Check {
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
