import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { post } from '../../support/listen/listen-command.ts';
import { builtSvc } from '../../support/process/built-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const LEASE_MS = 5000;

/** Starts a listener that subscribes to a service, whose subscriptions `subscriptions` lists. */
async function startListener() {
  const service = await startTestService({ allowLoopbackWebhooks: true });
  const subscriptions = async () => {
    const answer = await service.fetch('/v1/webhooks');
    return ((await answer.json()) as { webhooks: unknown[] }).webhooks;
  };
  const lease = `${LEASE_MS / 1000}s`;
  const argv = [...(await builtSvc()), 'webhooks', 'listen', '--port', '0', '--json', '--lease', lease];
  const child = spawn(process.execPath, argv, {
    env: { PATH: process.env.PATH, HOME: tempDir(), SVC_DATA_DIR: join(tempDir(), 'data'), ...service.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { url, subscription } = JSON.parse(String(line)) as { url: string; subscription: { id: string } };
  expect(await subscriptions()).toMatchObject([{ id: subscription.id }]);
  return { child, url, subscriptions, exited: once(child, 'exit') };
}

it('the subscription of a listener killed with SIGKILL expires with its lease', async () => {
  const { child, exited, subscriptions } = await startListener();
  child.kill('SIGKILL');
  expect(await exited).toEqual([null, 'SIGKILL']);
  expect(await subscriptions()).toHaveLength(1);
  await expect.poll(subscriptions, { timeout: 6 * LEASE_MS, interval: 200 }).toEqual([]);
}, 300_000);

it('a listener whose reader is gone removes its subscription, and ends with 0', async () => {
  const { child, url, exited, subscriptions } = await startListener();
  child.stdout.destroy();
  // It notices with what it prints next.
  expect((await post(url, '{}', 'no signature')).status).toBe(401);
  expect(await exited).toEqual([0, null]);
  expect(await subscriptions()).toEqual([]);
});
