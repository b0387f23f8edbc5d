import type { Clock } from '../kit/clock.ts';
import type { Random } from '../kit/random.ts';
import type { Catalogue } from './catalogue/catalogue.ts';
import type { Cipher } from './crypto/cipher.ts';
import type { DecisionSeed } from './decision-seed.ts';
import type { EventSignals } from './event-signals.ts';
import type { LearnedModels } from './learned-models.ts';
import type { Policy } from './policy.ts';
import type { Store } from './store/store.ts';

/** What handlers and workers are given: everything from outside, made once in start.ts. */
export interface ServiceDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  /** What `svc serve` was told and the store keeps for every process. */
  readonly policy: () => Policy;
  readonly log: Log;
  /** Seals personal fields at rest. */
  readonly cipher: Cipher;
  /** What may be chosen and sent, as it is now. */
  readonly catalogue: () => Catalogue;
  readonly models: LearnedModels;
  readonly signals: EventSignals;
  readonly decisionSeed: DecisionSeed;
}

/** Structured log lines; the caller decides where they go. Never given secrets or personal fields. */
export type Log = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  fields?: Record<string, unknown>,
) => void;
