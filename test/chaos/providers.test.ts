import { expect, it } from 'vitest';
import { throughStorm } from '../support/vendors/storm.ts';

it('no notification is lost or doubled by a failing, limiting, dying provider (long form: npm run test:chaos)', async () => {
  const storm = { notifications: 100, perSecond: 40, kills: 1, mostInRow: 1, seed: 'short' };
  const [keyed, unkeyed] = await Promise.all([
    throughStorm({ ...storm, deduplicates: true }),
    throughStorm({ ...storm, deduplicates: false }),
  ]);
  for (const { delivered, uncertain, refused, deaths, kills } of [keyed, unkeyed])
    expect({ ended: delivered + uncertain + refused, deaths, kills }).toEqual({
      ended: 100,
      deaths: 2,
      kills: 1,
    });
  expect(keyed.delivered).toBe(100);
  expect(keyed.throttled).toBeGreaterThan(0);
  // Without idempotency keys, each that may have been sent is named as uncertain.
  expect(unkeyed.uncertain).toBeGreaterThan(5);
  expect(unkeyed.delivered).toBeGreaterThan(50);
}, 300_000);
