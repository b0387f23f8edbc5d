import { expect, it } from 'vitest';
import { shakeDeliveries } from './deliveries.ts';

it('outcomes reach working subscribers through kills, beside faulty ones (long form: npm run test:chaos)', async () => {
  const { deliveries, kills } = await shakeDeliveries({ outcomes: 300, kills: 3, seed: 'short' });
  expect({ deliveries, kills }).toEqual({ deliveries: 900, kills: 3 });
}, 300_000);
