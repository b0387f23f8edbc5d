import { expect, it } from 'vitest';
import { RETRY_GAPS_MS } from '../../../src/service/webhooks/rules/schedule.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { advance, clockOf } from '../../support/process/test-clock.ts';
import { json, knownUser, receiver, subscribe, tap } from '../../support/process/webhooks-service.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

it('makes ten attempts over 72 h, each at its time, and gives the subscriber up after five days', async () => {
  const service = await startTestService({ testClock: true, allowLoopbackWebhooks: true });
  const target = await receiver((response) => void response.writeHead(500).end());
  const { id } = await subscribe(service, target.url);
  const hashId = await knownUser(service);
  await tap(service, hashId);
  await target.waitFor(1);
  const until = new Date(Date.parse((await clockOf(service)).now) + 80 * HOUR).toISOString();
  await expect.poll(async () => (await clockOf(service, `?until=${until}`)).due.deliveries).toBe(1);
  await advance(service, 80 * HOUR);
  const [first] = (await json(service.fetch(`/v1/webhooks/${id}/deliveries`), 200)).deliveries;
  expect(first).toMatchObject({
    status: 'failed',
    nextAttemptAt: null,
    attempts: Array(10).fill({ status: 500 }),
  });
  const times: number[] = first.attempts.map(({ at }: { at: string }) => Date.parse(at));
  expect(times.at(-1)! - times[0]!).toBeGreaterThanOrEqual(72 * HOUR);
  // The clock stops at most once in a second of its time.
  for (const [i, gap] of RETRY_GAPS_MS.entries()) {
    expect(times[i + 1]! - times[i]!).toBeGreaterThan(gap * 0.79);
    expect(times[i + 1]! - times[i]!).toBeLessThan(gap * 1.21 + 2000);
  }
  expect(new Set(target.received.map(({ body }) => body.toString())).size).toBe(1);
  // Receivers check signatures by the time of the world.
  for (const { headers } of target.received)
    expect(Math.abs(Number(headers['webhook-timestamp']) * 1000 - Date.now())).toBeLessThan(10 * MINUTE);
  expect((await json(service.fetch(`/v1/webhooks/${id}`), 200)).status).toBe('active');

  // A minute more: the five days begin when the first failure was written down.
  await advance(service, 5 * 24 * HOUR + MINUTE - 80 * HOUR);
  await tap(service, hashId);
  await target.waitFor(11);
  await expect
    .poll(async () => (await json(service.fetch(`/v1/webhooks/${id}`), 200)).status)
    .toBe('disabled');
  const shown = await runSvc(['webhooks', 'get', id], { env: service.env });
  expect(shown.code, shown.stderr).toBe(0);
  expect(shown.stdout).toMatch(/reason +nothing but failures for five days/);
});
