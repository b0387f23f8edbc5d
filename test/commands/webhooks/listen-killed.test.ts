import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { builtSvc } from '../../support/process/built-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const LEASE_MS = 5000;

it('the subscription of a listener killed with SIGKILL expires with its lease', async () => {
  const service = await startTestService({ allowLoopbackWebhooks: true });
  const subscriptions = async () => {
    const answer = await service.fetch('/v1/webhooks');
    return ((await answer.json()) as { webhooks: unknown[] }).webhooks;
  };
  const argv = [
    ...(await builtSvc()),
    'webhooks',
    'listen',
    '--port',
    '0',
    '--json',
    '--lease',
    `${LEASE_MS / 1000}s`,
  ];
  const child = spawn(process.execPath, argv, {
    env: { PATH: process.env.PATH, HOME: tempDir(), SVC_DATA_DIR: join(tempDir(), 'data'), ...service.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { subscription } = JSON.parse(String(line));
  expect(await subscriptions()).toMatchObject([{ id: subscription.id }]);
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  expect(await exited).toEqual([null, 'SIGKILL']);
  expect(await subscriptions()).toHaveLength(1);
  await expect.poll(subscriptions, { timeout: 6 * LEASE_MS, interval: 200 }).toEqual([]);
}, 300_000);
