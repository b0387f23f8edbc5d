import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { warnOfFailedAttempts } from '../../../src/features/listen/failed-attempts.ts';
import { systemClock } from '../../../src/kit/clock.ts';
import { knownUser, start, subscribe, tap } from '../../support/process/webhooks-service.ts';

/** An address at which nothing answers. */
async function nobody(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const { port } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  return `http://127.0.0.1:${port}/`;
}

it('warns once of each error with which deliveries fail before they arrive', async () => {
  const service = await start();
  const { id } = await subscribe(service, await nobody());
  const client = createClient({
    baseUrl: service.url,
    workspace: service.workspace,
    apiKey: service.apiKey,
    idempotent: true,
    timeoutMs: 5000,
    maxRetries: 0,
    clock: systemClock,
    random: Math.random,
    userAgent: 'test',
  });
  const warnings: string[] = [];
  const waits: number[] = [];
  const clock = {
    ...systemClock,
    sleep: (ms: number, signal?: AbortSignal) => {
      waits.push(ms);
      return systemClock.sleep(20, signal);
    },
  };
  const stop = warnOfFailedAttempts({ client, id, clock }, (text) => warnings.push(text));
  onTestFinished(stop);
  const hashId = await knownUser(service);
  for (let i = 0; i < 3; i++) await tap(service, hashId);
  await expect.poll(() => warnings.length).toBe(1);
  const seen = waits.length;
  await expect.poll(() => waits.length).toBeGreaterThan(seen + 3);
  await stop();
  expect(warnings).toEqual([
    expect.stringMatching(/^the service could not deliver to this listener: .*127\.0\.0\.1/),
  ]);
  expect(new Set(waits)).toEqual(new Set([5000]));
});
