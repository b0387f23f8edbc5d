import type { Clock } from '../../kit/clock.ts';
import type { Store } from './store/store.ts';

/**
 * The service's time: that of the machine, and what a test clock has moved it by (store/test-clock.ts), as far as this
 * process has seen it. Within a transaction `tx.now` is exact. Waits are the machine's: a move wakes the workers.
 */
export const serviceClock = (machine: Clock, store: Pick<Store, 'clockOffset'>): Clock => ({
  now: () => machine.now() + store.clockOffset,
  sleep: machine.sleep.bind(machine),
});
