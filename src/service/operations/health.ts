import type { Clock } from '../../kit/clock.ts';
import { ping } from '../store/ping.ts';
import type { Store } from '../store/store.ts';

export interface Health {
  /** True while the node should receive requests: its store answers in time and it is not stopping. */
  ready(): Promise<boolean>;
  /** Marks the node as stopping: it is not ready any more. */
  stopping(): void;
}

/** Milliseconds in which the store must answer for the node to count as ready. */
const READY_TIMEOUT_MS = 2_000;

export function healthOf(store: Store, clock: Clock): Health {
  let stopping = false;
  return {
    ready: async () => !stopping && (await answersInTime(store, clock)),
    stopping: () => {
      stopping = true;
    },
  };
}

async function answersInTime(store: Store, clock: Clock): Promise<boolean> {
  const settled = new AbortController();
  const answered = store.read(ping).then(
    () => true,
    () => false,
  );
  const timedOut = clock.sleep(READY_TIMEOUT_MS, settled.signal).then(
    () => false,
    () => false,
  );
  const inTime = await Promise.race([answered, timedOut]);
  settled.abort();
  return inTime;
}
