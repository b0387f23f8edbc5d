import type { ServiceDeps } from '../runtime/deps.ts';
import type { Tx } from '../store/store.ts';
import { repeat } from './worker.ts';

/** How long taken-up work stays with its worker unrenewed: what a killed process had is taken up by another after it. */
export const LEASE_MS = 10_000;

/** How often a worker renews what it has in hand. Four renewals may fail or come late before anything is lost. */
const RENEW_MS = 2000;

export interface Leases<T> {
  /** Keeps a claim renewed while `job` runs. */
  during(claim: T, job: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

/** Keeps what a worker has in hand from being taken up by another. */
export function keepLeases<T>(
  { store, clock, log }: ServiceDeps,
  renew: (tx: Tx, held: readonly T[]) => Promise<void>,
): Leases<T> {
  const held = new Set<T>();
  const loop = repeat('the renewal of leases', clock, log, RENEW_MS, async () => {
    if (held.size > 0) await store.write((tx) => renew(tx, [...held]), { durable: false });
    return false;
  });
  return {
    async during(claim, job) {
      held.add(claim);
      try {
        await job();
      } finally {
        held.delete(claim);
      }
    },
    stop: loop.stop,
  };
}
