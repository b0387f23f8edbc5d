import { expect, it } from 'vitest';
import { UNLIMITED } from '../../../src/contract/limits.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const EVENTS = { events: [{ userId: 'u', event: 'e', timestamp: '2026-01-01T00:00:00Z' }] };

it('every successful answer has the rate-limit headers, also where a limit is off', async () => {
  const service = await startTestService({ limits: { ingest: null, reads: 60 } });
  const before = Math.floor(Date.now() / 1000);
  const off = await service.fetch('/v1/events', { body: EVENTS });
  expect(off.status).toBe(202);
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    Number(off.headers.get(`x-service-ratelimit-${name}`)),
  );
  expect([limit, remaining]).toEqual([2_147_483_647, 2_147_483_647]);
  expect(reset).toBeGreaterThanOrEqual(before);
  expect(reset).toBeLessThanOrEqual(Date.now() / 1000);
  const on = await service.fetch('/v1/webhooks');
  expect(on.headers.get('x-service-ratelimit-limit')).toBe('60');
  expect(on.headers.get('x-service-ratelimit-remaining')).toBe('59');
});

it('the client takes the headers of a limit that is off for no limit', async () => {
  const service = await startTestService();
  const records = Array.from({ length: 50 }, () => JSON.stringify(EVENTS.events[0])).join('\n');
  const run = await runSvc(['events', 'import', '-', '--batch-size', '1', '--json'], {
    env: service.env,
    stdin: records,
  });
  expect(JSON.parse(run.stdout)).toMatchObject({
    accepted: 50,
    requests: 50,
    rateLimit: null,
    heldBackMs: 0,
  });
});

it('svc limits, doctor and a dry run say that there is no limit', async () => {
  const service = await startTestService();
  const at = { home: tempDir(), env: service.env };
  const refreshed = await runSvc(['limits', '--refresh', '--json'], at);
  const { limits } = JSON.parse(refreshed.stdout) as { limits: { group: string }[] };
  expect(limits.find(({ group }) => group === 'reads')).toMatchObject({
    limit: null,
    remaining: null,
    seenAt: expect.stringMatching(/Z$/),
    stale: false,
  });
  expect((await runSvc(['limits'], at)).stdout).toMatch(/^reads\s+-\s+-\s+off/m);
  expect((await runSvc(['doctor'], at)).stdout).toContain('the service has no rate limits');
  await runSvc(['events', 'send', '--user-id', 'u', '--event', 'e'], at);
  const stdin = JSON.stringify(EVENTS.events[0]);
  const plan = await runSvc(['events', 'import', '-', '--dry-run'], { ...at, stdin });
  expect(plan.stdout).toContain('the service has no rate limit');
  expect(JSON.stringify([refreshed, plan])).not.toContain(String(UNLIMITED));
});
