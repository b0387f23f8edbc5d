import type { Platform } from '../platform.ts';
import type { Tx } from '../store/store.ts';
import { repeat } from './worker.ts';

/** Duration of a lease. The claims of a killed process can be taken over when it expires. */
export const LEASE_MS = 10_000;

/** Interval between renewals. Four renewals may fail or be late before a lease expires. */
const RENEW_MS = 2000;

/** A claim that took longer is released: another worker may take it over before its lease is renewed. */
export const CLAIMED_MS = LEASE_MS - RENEW_MS;

export interface Leases<T> {
  /** Renews the lease of a claim while `job` runs. */
  during(claim: T, job: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

/** Renews the leases of a worker's claims, so that no other worker takes them over. */
export function keepLeases<T extends { readonly workspaceId: string }>(
  { store, clock, log }: Pick<Platform, 'store' | 'clock' | 'log'>,
  renew: (tx: Tx, held: readonly T[]) => Promise<void>,
): Leases<T> {
  const held = new Set<T>();
  const loop = repeat('the lease renewal', clock, log, RENEW_MS, async () => {
    const byWorkspace = new Map<string, T[]>();
    for (const claim of held) {
      // A worker that is silent would hold up the renewal of the others.
      if (store.workers?.isUnreachable(claim.workspaceId)) continue;
      byWorkspace.set(claim.workspaceId, [...(byWorkspace.get(claim.workspaceId) ?? []), claim]);
    }
    const renewed = await Promise.allSettled(
      [...byWorkspace.values()].map((claims) => store.write((tx) => renew(tx, claims), { durable: false })),
    );
    for (const result of renewed) if (result.status === 'rejected') throw result.reason;
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
