import type { ServiceDeps } from '../runtime/deps.ts';
import { fanOuts } from '../store/repositories/fan-outs.ts';
import { repeat, type Worker } from './worker.ts';

/** What a node left lying that stopped in between is found by this look. */
const LOOK_MS = 1000;

/** Goes on with outcomes that more subscriptions wait for than one transaction should queue deliveries for. */
export function startFanOut({ store, clock, log }: ServiceDeps): Worker {
  const waiting = () => store.read((tx) => fanOuts.waiting(tx));
  const worker = repeat('the fan-out', clock, log, LOOK_MS, async () => {
    if (!(await waiting())) return false;
    return store.write((tx) => fanOuts.goOn(tx));
  });
  const unsubscribe = store.subscribe('deliveries', () => worker.wake());
  return {
    ...worker,
    idle: async () => !(await waiting()) && (await worker.idle()),
    stop: () => {
      unsubscribe();
      return worker.stop();
    },
  };
}
