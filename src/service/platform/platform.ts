import type { Clock } from '../../kit/clock.ts';
import type { Random } from '../../kit/random.ts';
import type { Cipher } from './crypto/cipher.ts';
import type { Log } from './log.ts';
import type { Precedence } from './precedence.ts';
import type { Store } from './store/store.ts';
import type { Tracing } from './tracing/tracing.ts';

/** What every feature may build on, opened once by start.ts. A feature names the parts that it needs. */
export interface Platform {
  readonly store: Store;
  /** The service's time, which a test clock can move (service-clock.ts). */
  readonly clock: Clock;
  /** The machine's time, for what others check by theirs: rate limits and signatures. */
  readonly machine: Pick<Clock, 'now'>;
  readonly random: Random;
  readonly log: Log;
  /** Follows requests, deliveries and calls of providers through traces. */
  readonly tracing: Tracing;
  /** Encrypts personal fields at rest. */
  readonly cipher: Cipher;
  /** Lets requests that somebody waits for pass bulk work. */
  readonly precedence: Precedence;
  /** This process's part of the connections and slots of a node: 1 unless several processes form one. */
  readonly share: number;
  /** SVC_SEED is set: random choices must depend on the requests alone. */
  readonly repeatable: boolean;
}
