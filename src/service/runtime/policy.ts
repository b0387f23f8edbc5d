import { GROUP_LIMITS, GROUPS, type Group, WINDOW_MS } from '../../contract/limits.ts';
import { settings } from '../store/repositories/settings.ts';
import type { Store } from '../store/store.ts';

/** What every process on a store follows (docs/decisions.md, "Settings of a shared store"). */
export interface Policy {
  /** Requests a window by group; null is no limit. */
  readonly limits: Readonly<Record<Group, number | null>>;
  readonly windowMs: number;
  /** Subscriptions to plain http and to loopback addresses are admitted. */
  readonly allowLoopbackWebhooks: boolean;
}

export const DEFAULT_POLICY: Policy = {
  limits: Object.fromEntries(GROUPS.map((group) => [group, GROUP_LIMITS[group].default])) as Record<
    Group,
    number
  >,
  windowMs: WINDOW_MS,
  allowLoopbackWebhooks: false,
};

/** What a start of the service may change; what it leaves out stays as the store has it. */
export interface PolicyChange {
  limits?: Partial<Record<Group, number | null>> | undefined;
  windowMs?: number | undefined;
  allowLoopbackWebhooks?: boolean | undefined;
}

/** Keeps the store's policy at hand and follows changes that any process makes. */
export async function followPolicy(
  store: Store,
  change: PolicyChange,
): Promise<{ policy: () => Policy; stop: () => void }> {
  let current = await store.write(async (tx) => {
    await tx.lock('policy');
    const known = { ...DEFAULT_POLICY, ...(await settings.get<Policy>(tx, 'policy')) };
    const next: Policy = {
      limits: { ...known.limits, ...change.limits },
      windowMs: change.windowMs ?? known.windowMs,
      allowLoopbackWebhooks: change.allowLoopbackWebhooks ?? known.allowLoopbackWebhooks,
    };
    if (JSON.stringify(next) !== JSON.stringify(known)) await settings.set(tx, 'policy', next);
    return next;
  });
  const stop = store.subscribe('settings', () => {
    store
      .read((tx) => settings.get<Policy>(tx, 'policy'))
      .then((found) => {
        if (found) current = { ...DEFAULT_POLICY, ...found };
      })
      .catch(() => {
        // The store is closing or cannot be read now: the last known policy holds.
      });
  });
  return { policy: () => current, stop };
}
