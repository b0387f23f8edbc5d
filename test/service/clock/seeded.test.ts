import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/kit/clock.ts';
import { startTestService } from '../../support/process/service.ts';
import { advance } from '../../support/process/test-clock.ts';
import { json } from '../../support/process/webhooks-service.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('a clock that moves', () => {
  it('makes the same decisions with the same seed, requests and moves', async () => {
    const noon = Date.parse('2026-03-02T12:00:00Z');
    const run = async (seed: string) => {
      const started = performance.now();
      const clock = {
        now: () => noon + performance.now() - started,
        sleep: systemClock.sleep.bind(systemClock),
      };
      const service = await startTestService({ testClock: true, seed, clock });
      // The key that hashes users is another one in each service.
      const hashes = Array.from({ length: 6 }, (_, n) => `h${n}`);
      const chosen: string[] = [];
      for (const ms of [2 * DAY, 30 * HOUR, 0]) {
        const decided: string[] = [];
        for (const hashId of hashes) {
          const { decisionId, action } = await json(
            service.fetch('/v1/decisioning/decide', { body: { hashId } }),
            200,
          );
          chosen.push(action.contentId);
          if (action.contentId !== null) decided.push(decisionId);
        }
        // They are learned at some time, but before a move ends.
        for (const decisionId of decided.filter((_, n) => n % 2 === 0))
          await json(
            service.fetch(`/v1/messages/${decisionId}/outcomes`, { body: { type: 'clicked' } }),
            202,
          );
        if (ms > 0) await advance(service, ms);
      }
      await service.close(0);
      return chosen.join();
    };
    const seeded = await run('7');
    expect(await run('7')).toBe(seeded);
    expect(await run('8')).not.toBe(seeded);
  });
});
