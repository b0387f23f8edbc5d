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
