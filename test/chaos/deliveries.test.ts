import { expect, it } from 'vitest';
import { shakeDeliveries } from './deliveries.ts';

it('outcomes reach working subscribers through kills, beside faulty ones (long form: npm run test:chaos)', async () => {
  const { deliveries, kills } = await shakeDeliveries({ outcomes: 150, kills: 2, seed: 'short' });
  expect({ deliveries, kills }).toEqual({ deliveries: 450, kills: 2 });
}, 300_000);
