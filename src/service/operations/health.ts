import type { Clock } from '../../kit/clock.ts';
import { ping } from '../store/repositories/ping.ts';
import type { Store } from '../store/store.ts';

export interface Health {
  /** True while the node should get requests: its store answers in time, and it is not stopping. */
  ready(): Promise<boolean>;
  /** From here on it is not. */
  stopping(): void;
}

/** How long the store may take to answer before the node counts as not ready, in ms. */
const PATIENCE_MS = 2_000;

export function healthOf(store: Store, clock: Clock): Health {
  let stopping = false;
  return {
    ready: async () => {
      if (stopping) return false;
      const answered = new AbortController();
      const answer = store.read(ping).then(
        () => true,
        () => false,
      );
      const late = clock.sleep(PATIENCE_MS, answered.signal).then(
        () => false,
        () => false,
      );
      const ready = await Promise.race([answer, late]);
      answered.abort();
      return ready;
    },
    stopping: () => {
      stopping = true;
    },
  };
}
