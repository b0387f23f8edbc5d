import { expect } from 'vitest';
import type { TestService } from './service.ts';
import { json } from './webhooks-service.ts';

/** The test clock of a service, with what becomes due if `query` asks for it. */
export const clockOf = (service: TestService, query = '') => json(service.fetch(`/v1/clock${query}`), 200);

/** Moves the test clock of a service by `ms`, and waits until all due work is done. */
export async function advance(service: TestService, ms: number): Promise<void> {
  const { now } = await clockOf(service);
  const to = new Date(Date.parse(now) + ms).toISOString();
  await json(service.fetch('/v1/clock', { method: 'PUT', body: { now: to } }), 200);
  await expect
    .poll(async () => (await clockOf(service)).movingTo, { timeout: 250_000, interval: 25 })
    .toBe(null);
}

/** What the erasure of a user and a deletion of events wait for before they look a second time, in ms. */
const SETTLED_MS = 15_000;

/** Waits for what waits itself for what other nodes have in memory: the test clock of the service moves meanwhile. */
export async function settled<T>(service: TestService, result: Promise<T>): Promise<T> {
  let isOver = false;
  const ended = result.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 250))]);
    if (!isOver) await advance(service, SETTLED_MS);
  }
  return ended;
}
