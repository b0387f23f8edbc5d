import { expect, test } from 'vitest';
import { runSvc, startSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

test('serve says which channels of a live workspace have a provider', async () => {
  const home = tempDir();
  const readyText = async (env: Record<string, string>) => {
    const serving = startSvc(['serve', '--port', '0'], { home, env });
    await serving.waitFor(/stop with Ctrl-C/);
    serving.interrupt();
    return (await serving.done).stdout;
  };
  const [, workspace = ''] = /SVC_WORKSPACE=(\w+)/.exec(await readyText({}))!;
  const live = ['workspaces', 'update', workspace, '--mode', 'live', '--profile', 'local'];
  const updated = await runSvc(live, { home });
  expect(updated.code, updated.stderr).toBe(0);
  expect(await readyText({})).toContain(
    `${workspace} is a live workspace: no channel has a provider (docs/providers), so its notifications are written to the outbox`,
  );
  const sms = { SVC_SMS_URL: 'http://127.0.0.1:9/sms', SVC_PROVIDER_SECRET: 'the provider secret 1' };
  expect(await readyText(sms)).toMatch(/is a live workspace: sms has a provider; .*email.* go to the outbox/);
});
