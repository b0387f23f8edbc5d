import { onTestFinished } from 'vitest';
import { type Client, type ClientOptions, createClient } from '../../../src/client/client.ts';
import { systemClock } from '../../../src/kit/clock.ts';
import { randomFrom } from '../../../src/kit/random.ts';

/** A client of a service at `baseUrl`, without retries; paced by `pacers`, whose clock is `steadyClock`. */
export function httpClient(
  baseUrl: string,
  paced: Pick<ClientOptions, 'pacers' | 'steadyClock'> = {},
): Client {
  const client = createClient({
    baseUrl,
    workspace: 'ws_1',
    apiKey: 'sk_test_canary',
    idempotent: true,
    timeoutMs: 10_000,
    maxRetries: 0,
    clock: systemClock,
    random: randomFrom(undefined),
    userAgent: 'svc/0',
    ...paced,
  });
  onTestFinished(() => client.close());
  return client;
}
