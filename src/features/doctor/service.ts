import { toSvcError } from '../../cli/errors/to-svc-error.ts';
import type { Client } from '../../client/client.ts';
import { ApiError, isUnsupported } from '../../client/errors.ts';
import { type Check, fail, ok, skipped, warn } from './check.ts';
import { checkMode } from './mode.ts';
import type { Place } from './place.ts';
import { type Address, checkIdentity, type ObservedAnswer } from './recognise.ts';
import { checkRegion, type Expected } from './region.ts';
import { checkWebhooks } from './webhooks.ts';

const NOT_RECOGNISED = 'not checked, because the server is not recognised as the service';

/** Tolerated clock difference in ms: the header has whole seconds, and the network delays it. */
const MAX_SKEW_MS = 3000;

/** Checks service, key, region, mode, clock and subscriptions with one read (GET /v1/webhooks). `now` returns Unix ms. */
export async function checkService(
  client: Client,
  expected: Expected | undefined,
  now: () => number,
  signal: AbortSignal,
  address: Address,
  place: Place,
): Promise<Check[]> {
  const start = now();
  const rows = (answer: ObservedAnswer, key: Check): Check[] => {
    const exchange = { headers: answer.headers, tookMs: now() - start, at: (start + now()) / 2 };
    const service = checkIdentity(answer, address);
    const notChecked = skipped('key', NOT_RECOGNISED);
    return [
      service,
      service.status === 'fail' ? notChecked : key,
      checkRegion(exchange, expected),
      service.status === 'fail' ? skipped('mode', NOT_RECOGNISED) : checkMode(answer.headers, place),
      checkClock(exchange),
      ...checkWebhooks(answer.body, place),
    ];
  };
  try {
    const { status, headers, text, body } = await client.call('listWebhooks', { signal });
    return rows({ status, headers, text, body }, ok('key', `accepted, ${Math.round(now() - start)} ms`));
  } catch (error) {
    if (!(error instanceof ApiError)) return [fail('key', toSvcError(error, false))];
    const { status, headers, body } = error;
    const key = isUnsupported(error) ? unchecked(address.alternative) : fail('key', toSvcError(error, false));
    return rows({ status, headers, body, text: '' }, key);
  }
}

function unchecked(otherAddress: string | undefined): Check {
  const seen = 'not checked: this service has no GET /v1/webhooks, and every other call has an effect';
  return otherAddress === undefined ? skipped('key', seen) : warn('key', seen, otherAddress);
}

/** `at` is the middle of the exchange, in Unix ms on the local clock. */
function checkClock({
  headers,
  at,
}: {
  readonly headers: ObservedAnswer['headers'];
  readonly at: number;
}): Check {
  const date = Date.parse(headers.date ?? '');
  if (Number.isNaN(date)) return skipped('clock', 'the service sent no Date header');
  // The header is truncated to whole seconds, by half a second on average.
  const skew = at - (date + 500);
  const seconds = Math.round(Math.abs(skew) / 1000);
  if (Math.abs(skew) <= MAX_SKEW_MS) return ok('clock', 'agrees with the service');
  return warn(
    'clock',
    `this machine is ${seconds} s ${skew > 0 ? 'ahead of' : 'behind'} the service`,
    'synchronise the clock (NTP), because event timestamps and webhook signatures depend on it',
  );
}
