import { expect, test } from 'vitest';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';

test('svc decisions reward reports what a decision was worth, and svc decisions get shows it', async () => {
  const { env } = await startTestService();
  const decided = await runSvc(['decide', '--hash-id', 'a'.repeat(64), '--json'], { env });
  const { decisionId } = JSON.parse(decided.stdout);
  const rewarded = await runSvc(['decisions', 'reward', decisionId, '0.75', '--json'], { env });
  expect(rewarded).toMatchObject({ code: 0 });
  expect(JSON.parse(rewarded.stdout)).toMatchObject({ decisionId, reward: 0.75 });
  await expect
    .poll(async () => JSON.parse((await runSvc(['decisions', 'get', decisionId, '--json'], { env })).stdout))
    .toMatchObject({ reward: 0.75 });
  expect(await runSvc(['decisions', 'reward', decisionId, '7'], { env })).toMatchObject({ code: 2 });
  const unknown = await runSvc(['decisions', 'reward', decisionId, '1', '--goal', 'order'], { env });
  expect(unknown.stderr).toContain('is not a goal of the catalog');
  expect(unknown.code).not.toBe(0);
});
