import type { Clock } from '../../kit/clock.ts';
import { ping } from '../platform/store/ping.ts';
import type { Store } from '../platform/store/store.ts';

/** The answer of /readyz: a line of text with the status of HTTP. */
export interface Readiness {
  readonly status: 200 | 503;
  readonly body: string;
}

export interface Health {
  /** True while the node should receive requests: its store answers in time and it is not stopping. */
  ready(): Promise<boolean>;
  answer(): Promise<Readiness>;
  /** Marks the node as stopping: it is not ready any more. */
  stopping(): void;
}

/** Milliseconds in which the store must answer for the node to count as ready. */
const READY_TIMEOUT_MS = 2_000;

export function healthOf(store: Store, clock: Clock): Health {
  let stopping = false;
  /** What is out with the workers of a distributed database; undefined while nothing is. */
  const outage = () => {
    const found = store.workers?.out();
    return found && found.out > 0 ? found : undefined;
  };
  const ready = async () => {
    const found = outage();
    const none = found !== undefined && found.out >= found.of;
    return !stopping && !none && (await answersInTime(store, clock));
  };
  return {
    ready,
    answer: async () => {
      const status = (await ready()) ? 200 : 503;
      const found = outage();
      const text = status === 200 ? 'ready' : 'not ready';
      return {
        status,
        body: found ? `${text}: ${found.out} of ${found.of} workspaces are out\n` : `${text}\n`,
      };
    },
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
