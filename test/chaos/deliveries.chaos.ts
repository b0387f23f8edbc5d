import { it } from 'vitest';
import { shakeDeliveries } from './deliveries.ts';

it('10,000 outcomes reach three good subscribers through 20 kills, beside five bad ones', async () => {
  console.log(await shakeDeliveries({ outcomes: 10_000, kills: 20, seed: 'full' }));
});
