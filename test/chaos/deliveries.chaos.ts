import { it } from 'vitest';
import { shakeDeliveries } from './deliveries.ts';

it('10,000 outcomes reach three working subscribers through 20 kills, beside five faulty ones', async () => {
  console.log(await shakeDeliveries({ outcomes: 10_000, kills: 20, seed: 'full' }));
});
