import { expect, it } from 'vitest';
import { EndpointRequests } from '../../../src/service/http/endpoint-requests.ts';

const MINUTE_MS = 60_000;

const NONE = {
  requests: 0,
  turnedAway: 0,
  refused: 0,
  failed: 0,
  byFaults: 0,
  latency: null,
  slowest: null,
};

it('counts the requests of the last hour by endpoint, and how long the latest answers took', () => {
  let now = 10 * MINUTE_MS;
  const requests = new EndpointRequests(() => now);
  const send = (endpoint: string, status: number, ms = 0) => {
    const measured = requests.begin(endpoint);
    now += ms;
    measured.end(status);
  };
  send('decide', 200, 5);
  now += 59 * MINUTE_MS;
  for (const ms of [10, 20, 30]) send('decide', 200, ms);
  send('decide', 503, 900);
  send('ingestEvents', 400);
  send('ingestEvents', 429);
  const latency = { answers: 4, p50Ms: 10, p95Ms: 30, p99Ms: 30 };
  expect(requests.lastHour()).toEqual([
    { ...NONE, endpoint: 'decide', requests: 5, failed: 1, latency },
    { ...NONE, endpoint: 'ingestEvents', requests: 2, turnedAway: 1, refused: 1 },
  ]);
  expect(requests.latest('decide').quantiles()).toEqual(latency);
  expect(requests.byMinute()).toEqual([1, ...Array(58).fill(0), 6]);
  // The first minute is an hour ago, and its place is used again.
  now += MINUTE_MS;
  expect(requests.lastHour()[0]).toMatchObject({ requests: 4, failed: 1 });
  send('decide', 200);
  expect(requests.lastHour()[0]).toMatchObject({ requests: 5 });
  now += 60 * MINUTE_MS;
  expect(requests.lastHour()).toEqual([]);
});

it('says of the slowest answers how long they waited, worked and were stored', () => {
  let now = 0;
  const requests = new EndpointRequests(() => now);
  const send = (status: number, ...[waitMs = 0, workMs = 0, storeMs = 0]: number[]) => {
    const measured = requests.begin('decide');
    now += waitMs;
    measured.workBegan();
    now += workMs;
    measured.workEnded();
    now += storeMs;
    measured.end(status);
  };
  for (let i = 0; i < 38; i++) send(200, 1, 2, 1);
  send(200, 90, 20, 10);
  send(200, 70, 10, 10);
  // What failed is not an answer that was slow.
  send(503, 900, 0, 0);
  expect(requests.lastHour()[0]!.slowest).toEqual({ waitMs: 80, workMs: 15, storeMs: 10 });
  for (let i = 0; i < 1000; i++) send(200, 1, 2, 1);
  expect(requests.lastHour()[0]!.slowest).toEqual({ waitMs: 1, workMs: 2, storeMs: 1 });
});
