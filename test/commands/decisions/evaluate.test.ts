import { expect, test } from 'vitest';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';

test('evaluates the logged, the uniform and the always-best policy', async () => {
  const service = await startTestService({ seed: 'evaluate' });
  let earned = 0;
  for (let i = 0; i < 30; i++) {
    const answer = await service.fetch('/v1/decisioning/decide', { body: { hashId: `h${i}` } });
    const { decisionId, action } = (await answer.json()) as {
      decisionId: string;
      action: { contentId: string };
    };
    if (i % 3 !== 0) continue;
    const type = action.contentId < 'm' ? 'clicked' : 'opened';
    earned += type === 'clicked' ? 0.6 : 0.2;
    await service.fetch(`/v1/messages/${decisionId}/outcomes`, { body: { type } });
  }
  await service.fetch('/v1/decisioning/decide', {
    body: { hashId: 'h', guardrails: { maxDailyContacts: 0 } },
  });
  const { env } = service;
  const { code, stdout, stderr } = await runSvc(['decisions', 'evaluate', '--json'], { env });
  expect(code).toBe(0);
  const result = JSON.parse(stdout);
  expect(result).toMatchObject({ decisions: 30, pending: 0, skipped: 1 });
  expect(result.policies.running.effective).toBeCloseTo(30, 10);
  expect(stderr).toMatch(
    /too little is known of the running policy: its effective sample size is 30 decisions, and 100 take about 100/,
  );
  expect(result.policies.running.ips.mean).toBeCloseTo(earned / 30, 10);
  for (const policy of ['running', 'uniform', 'best'])
    for (const estimator of ['ips', 'snips', 'dr']) {
      const { mean, low, high } = result.policies[policy][estimator];
      expect(low <= mean && mean <= high, `${policy} ${estimator}`).toBe(true);
    }
  const table = await runSvc(['decisions', 'evaluate'], { env, columns: 120 });
  expect(table.stdout).toMatch(/POLICY.*IPS.*SNIPS.*DR.*DM/);
  expect(table.stdout).toMatch(/always best/);
});

test('counts silence like the learner: from the time the message was served, if the app polls', async () => {
  const { env, fetch } = await startTestService();
  const judged = async () => {
    const { stdout, stderr } = await runSvc(['decisions', 'evaluate', '--json'], { env });
    const { decisions, pending } = JSON.parse(stdout);
    return [decisions, pending, /left out/.test(stderr)];
  };
  await fetch('/v1/decisioning/decide', { body: { hashId: 'before' } });
  await fetch('/v1/messages?hashId=somebody');
  for (const hashId of ['h', 'other']) await fetch('/v1/decisioning/decide', { body: { hashId } });
  expect(await judged()).toEqual([1, 2, true]);
  await fetch('/v1/messages?hashId=h');
  expect(await judged()).toEqual([2, 1, true]);
});

test('an empty log, a time range, and an invalid time', async () => {
  const { env, fetch } = await startTestService();
  expect((await runSvc(['decisions', 'evaluate'], { env })).stdout).toBe(
    'no decision in the log has an action\n',
  );
  await fetch('/v1/decisioning/decide', { body: { hashId: 'h' } });
  const count = async (...flags: string[]) =>
    JSON.parse((await runSvc(['decisions', 'evaluate', '--json', ...flags], { env })).stdout).decisions;
  expect(await count()).toBe(1);
  expect(await count('--since', '2999-01-01T00:00:00Z')).toBe(0);
  expect(await count('--until', '2001-01-01T00:00:00Z')).toBe(0);
  const { code, stderr } = await runSvc(['decisions', 'evaluate', '--since', 'yesterday-ish'], { env });
  expect([code, stderr]).toEqual([2, expect.stringMatching(/is not a time/)]);
});
