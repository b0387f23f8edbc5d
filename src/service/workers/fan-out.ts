import type { ServiceDeps } from '../runtime/deps.ts';
import { fanOuts } from '../store/repositories/fan-outs.ts';
import { repeat, type Worker, wokenBy } from './worker.ts';

/** Interval of the check for fan-outs that a stopped node left unfinished. */
const POLL_MS = 1000;

/** Queues the remaining deliveries of outcomes with more subscriptions than one transaction handles. */
export function startFanOut({ store, clock, log }: ServiceDeps): Worker {
  const pending = () => store.read((tx) => fanOuts.pending(tx));
  const loop = repeat('the fan-out', clock, log, POLL_MS, async () => {
    if (!(await pending())) return false;
    return store.write((tx) => fanOuts.continueOldest(tx));
  });
  const worker = wokenBy(store, 'deliveries', loop);
  return { ...worker, idle: async () => !(await pending()) && (await worker.idle()) };
}
