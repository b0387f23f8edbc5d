import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const event = (n: number) =>
  JSON.stringify({ userId: `u${n}`, event: 'e', timestamp: '2026-01-31T12:00:00Z' });

/** Imports so many events, one a request. */
async function imported(count: number, limit: number | null, ...flags: string[]) {
  const service = await startTestService({ limits: { ingest: limit }, windowMs: 2000 });
  const cwd = tempDir();
  writeFileSync(join(cwd, 'a.ndjson'), Array.from({ length: count }, (_, n) => event(n)).join('\n'));
  return runSvc(['events', 'import', 'a.ndjson', '--batch-size', '1', ...flags], { env: service.env, cwd });
}

test('an import that waited for the limit reports the limit, the wait and how to be faster', async () => {
  const { code, stdout } = await imported(30, 20);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^ {2}held back by the limit of 20 requests in \d s for \d+\.\d s of \d+\.\d s\n {2}faster: {2}--batch-size 1000 needs fewer requests\n {11}ask the operator of the service for a higher limit \(svc limits shows it\)$/m,
  );
});

test('the JSON result has the limit and the wait, which is 0 for an import that fits at once', async () => {
  const fits = JSON.parse((await imported(5, 20, '--json')).stdout);
  expect(fits).toMatchObject({ accepted: 5, rateLimit: 20, heldBackMs: 0 });
  const slow = JSON.parse((await imported(30, 20, '--json')).stdout);
  expect(slow).toMatchObject({ accepted: 30, rateLimit: 20 });
  expect(slow.heldBackMs).toBeGreaterThan(0);
  expect(slow.heldBackMs).toBeLessThanOrEqual(slow.elapsedMs);
  expect(JSON.parse((await imported(5, null, '--json')).stdout)).toMatchObject({
    rateLimit: null,
    heldBackMs: 0,
  });
});
