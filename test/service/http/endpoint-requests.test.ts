import { expect, it } from 'vitest';
import { EndpointRequests } from '../../../src/service/http/endpoint-requests.ts';

const MINUTE_MS = 60_000;

it('counts the requests of the last hour by endpoint, and how long the latest answers took', () => {
  let now = 10 * MINUTE_MS;
  const requests = new EndpointRequests(() => now);
  const send = (endpoint: string, status: number, ms = 0) => {
    const end = requests.begin(endpoint);
    now += ms;
    end(status);
  };
  send('decide', 200, 5);
  now += 59 * MINUTE_MS;
  for (const ms of [10, 20, 30]) send('decide', 200, ms);
  send('decide', 503, 900);
  send('ingestEvents', 400);
  const latency = { answers: 4, p50Ms: 10, p95Ms: 30, p99Ms: 30 };
  expect(requests.lastHour()).toEqual([
    { endpoint: 'decide', requests: 5, refused: 0, failed: 1, latency },
    { endpoint: 'ingestEvents', requests: 1, refused: 1, failed: 0, latency: null },
  ]);
  expect(requests.latest('decide').quantiles()).toEqual(latency);
  // The first minute is an hour ago, and its place is used again.
  now += MINUTE_MS;
  expect(requests.lastHour()[0]).toMatchObject({ requests: 4, failed: 1 });
  send('decide', 200);
  expect(requests.lastHour()[0]).toMatchObject({ requests: 5 });
  now += 60 * MINUTE_MS;
  expect(requests.lastHour()).toEqual([]);
});
