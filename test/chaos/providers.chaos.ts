import { expect, it } from 'vitest';
import { throughStorm } from '../support/vendors/storm.ts';

it.each([true, false])(
  '10,000 notifications through a provider that fails 20 %, limits to 50/s and dies twice, with kills (drops repeats: %s)',
  async (deduplicates) => {
    const ended = await throughStorm({
      notifications: 10_000,
      perSecond: 50,
      kills: 5,
      deduplicates,
      mostInRow: 4,
      seed: 'full',
    });
    console.log(ended);
    expect(ended.delivered + ended.uncertain + ended.refused).toBe(10_000);
  },
);
