import type { Clock } from '../../kit/clock.ts';
import type { Random } from '../../kit/random.ts';
import type { Catalogs } from '../catalog/follow.ts';
import type { Cipher } from '../crypto/cipher.ts';
import type { Retention } from '../domain/retention.ts';
import type { Log } from '../log.ts';
import type { Store } from '../store/store.ts';
import type { Tracing } from '../tracing/tracing.ts';
import type { DecisionSeed } from './decision-seed.ts';
import type { EventSignals } from './event-signals.ts';
import type { LearnedModels } from './learned-models.ts';
import type { Policy } from './policy.ts';
import type { Precedence } from './precedence.ts';

/** The dependencies of handlers and workers, created once in start.ts. */
export interface ServiceDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  /** The configured policy, which the store shares with every process. */
  readonly policy: () => Policy;
  /** How long the logs are kept, at least as long as something reads them. */
  readonly retention: () => Retention;
  readonly log: Log;
  /** Follows requests, deliveries and calls of providers through traces. */
  readonly tracing: Tracing;
  /** Encrypts personal fields at rest. */
  readonly cipher: Cipher;
  /** The current catalogs of contents and templates. */
  readonly catalogs: Catalogs;
  /** Address of this service as others reach it (SVC_PUBLIC_URL), without a slash at its end. */
  readonly publicUrl: string | undefined;
  readonly models: LearnedModels;
  readonly signals: EventSignals;
  readonly decisionSeed: DecisionSeed;
  readonly precedence: Precedence;
  /** This process's part of the connections and slots of a node: 1 unless several processes form one. */
  readonly share: number;
  /** SVC_SEED is set: random choices must depend on the requests alone. */
  readonly repeatable: boolean;
}
