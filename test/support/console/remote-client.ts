import { onTestFinished } from 'vitest';
import { type Client, createClient } from '../../../src/client/client.ts';
import { systemClock } from '../../../src/kit/clock.ts';
import { randomFrom } from '../../../src/kit/random.ts';

/** A client of a service at `baseUrl`, without retries and pacing. */
export function httpClient(baseUrl: string): Client {
  const client = createClient({
    baseUrl,
    workspace: 'ws_1',
    apiKey: 'sk_test_canary',
    keysHonoured: true,
    timeoutMs: 10_000,
    maxRetries: 0,
    clock: systemClock,
    random: randomFrom(undefined),
    userAgent: 'svc/0',
  });
  onTestFinished(() => client.close());
  return client;
}
