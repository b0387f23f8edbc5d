import { expect, it } from 'vitest';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { advance } from '../../support/process/test-clock.ts';
import { knownUser } from '../../support/process/webhooks-service.ts';

const HOUR = 3_600_000;

async function started() {
  const service = await startTestService({ testClock: true });
  const hashId = await knownUser(service);
  const svc = (words: string[], stdin?: string) =>
    runSvc(words, { env: service.env, ...(stdin === undefined ? {} : { stdin }) });
  const notify = (...more: string[]) =>
    svc(['notify', '--hash-id', hashId, '--template', 'welcome', '--channel', 'sms', ...more]);
  return { service, hashId, svc, notify };
}

it('svc notify --send-at sends later by the clock of the service, and --wait says until when', async () => {
  const { service, svc, notify } = await started();
  await advance(service, 100 * HOUR);
  const { code, stdout } = await notify('--send-at', '2h', '--json');
  expect(code).toBe(0);
  const { notificationId, status, sendAt } = JSON.parse(stdout);
  expect(status).toBe('held');
  const ahead = Date.parse(sendAt) - Date.now();
  expect(ahead).toBeGreaterThan(101 * HOUR);
  expect(ahead).toBeLessThan(103 * HOUR);
  const waited = await notify('--send-at', sendAt, '--wait');
  expect(waited.code).toBe(6);
  expect(waited.stderr).toContain(`is held until ${sendAt} (send_at)`);
  const shown = await svc(['notifications', 'get', notificationId]);
  expect(shown.stdout).toMatch(new RegExp(`send at +${sendAt}`));
  await advance(service, 2 * HOUR);
  const watched = await svc(['notifications', 'watch', notificationId]);
  expect(watched).toMatchObject({ code: 0, stdout: expect.stringMatching(/held +send_at/) });
});

it('svc notify --input takes sendAt of a line before --send-at', async () => {
  const { hashId, svc } = await started();
  const at = new Date(Date.now() + 5 * HOUR).toISOString();
  const lines = `${JSON.stringify({ hashId, sendAt: at })}\n${hashId}\n`;
  const flags = ['--template', 'welcome', '--channel', 'sms', '--send-at', '1h'];
  const { code, stdout } = await svc(['notify', '--input', '-', ...flags], lines);
  expect(code).toBe(0);
  const [first, second] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).response.sendAt);
  expect(first).toBe(at);
  expect(Date.parse(second) - Date.now()).toBeLessThan(2 * HOUR);
});

it.each([
  ['tomorrow', 2, /--send-at tomorrow is not a duration/],
  ['2026-01-01', 2, /not a time that exists/],
  ['2026-02-30T00:00:00Z', 2, /not a time that exists/],
  ['9999999999999999d', 2, /too far ahead/],
  ['31d', 5, /sendAt must be within 30 days/],
  ['2020-01-01T00:00:00Z', 5, /sendAt must not be in the past/],
  ['2020-01-01T00:00Z', 5, /sendAt must not be in the past/],
] as const)('svc notify --send-at %s ends with %i', async (value, code, words) => {
  const { notify } = await started();
  const ended = await notify('--send-at', value);
  expect(ended.code).toBe(code);
  expect(ended.stderr).toMatch(words);
});

it('svc notifications cancel says whether anything left', async () => {
  const { svc, notify } = await started();
  const { notificationId: later } = JSON.parse((await notify('--send-at', '1h', '--json')).stdout);
  for (let i = 0; i < 2; i++)
    expect(await svc(['notifications', 'cancel', later])).toMatchObject({
      code: 0,
      stdout: `${later}  cancelled  nothing was sent\n`,
    });
  const watched = await svc(['notifications', 'watch', later]);
  expect(watched).toMatchObject({ code: 5, stderr: expect.stringContaining(`${later} was cancelled`) });

  const now = await notify('--priority', 'transactional', '--wait', '--json');
  const { notificationId: sent } = JSON.parse(now.stdout);
  const late = await svc(['notifications', 'cancel', sent, '--json']);
  expect(late.code).toBe(5);
  expect(JSON.parse(late.stdout)).toMatchObject({ status: 'delivered', sentBefore: true });
  expect(JSON.parse(late.stderr).error).toMatchObject({ code: 'failed', exitCode: 5 });

  const unknown = await svc(['notifications', 'cancel', 'ntf_none']);
  expect(unknown).toMatchObject({ code: 5, stdout: '' });
});
