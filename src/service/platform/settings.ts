import {
  CLIENT_LIMITS,
  type ClientScope,
  GROUP_LIMITS,
  GROUPS,
  type Group,
  WINDOW_MS,
} from '../../contract/limits.ts';
import type { Log } from './log.ts';
import { RETAINED_LOGS, type Retention, retentionText } from './store/retained-logs.ts';
import { settings } from './store/settings.ts';
import type { Store } from './store/store.ts';

/** The settings that all processes on a store share (docs/design-choices.md, "Settings of a shared store"). */
export interface Policy {
  /** Requests per window by group; null means unlimited. */
  readonly limits: Readonly<Record<Group, number | null>>;
  /** Requests with publishable keys per window and node; null means unlimited. */
  readonly clientLimits: Readonly<Record<ClientScope, number | null>>;
  readonly windowMs: number;
  /** Allows subscriptions to plain http and to loopback addresses. */
  readonly allowLoopbackWebhooks: boolean;
  /** How long the logs are kept. */
  readonly retain: Retention;
}

export const DEFAULT_POLICY: Policy = {
  limits: Object.fromEntries(GROUPS.map((group) => [group, GROUP_LIMITS[group].default])) as Record<
    Group,
    number
  >,
  clientLimits: CLIENT_LIMITS,
  windowMs: WINDOW_MS,
  allowLoopbackWebhooks: false,
  retain: {
    events: null,
    decisions: null,
    notifications: 400 * 86_400_000,
    eventIds: 90 * 86_400_000,
    outcomes: 30 * 86_400_000,
  },
};

/** A change of the policy at start. Omitted fields keep the stored value. */
export interface PolicyChange {
  limits?: Partial<Record<Group, number | null>> | undefined;
  clientLimits?: Partial<Record<ClientScope, number | null>> | undefined;
  windowMs?: number | undefined;
  allowLoopbackWebhooks?: boolean | undefined;
  retain?: Partial<Retention> | undefined;
}

/**
 * Applies a change to the stored policy, and then follows changes by any process. A change of the retention is logged,
 * because rows are removed by it: the last start that names one decides for all nodes.
 */
export async function followPolicy(
  store: Store,
  change: PolicyChange,
  log: Log,
): Promise<{ policy: () => Policy; stop: () => void }> {
  const { stored, next } = await store.write(async (tx) => {
    await tx.lock('policy');
    const stored = withDefaults(await settings.get<Policy>(tx, 'policy'));
    const next: Policy = {
      // A later version may have stored more.
      ...stored,
      limits: { ...stored.limits, ...change.limits },
      clientLimits: { ...stored.clientLimits, ...change.clientLimits },
      windowMs: change.windowMs ?? stored.windowMs,
      allowLoopbackWebhooks: change.allowLoopbackWebhooks ?? stored.allowLoopbackWebhooks,
      retain: { ...stored.retain, ...change.retain },
    };
    if (JSON.stringify(next) !== JSON.stringify(stored)) await settings.set(tx, 'policy', next);
    return { stored, next };
  });
  reportRetention(log, stored, next);
  let current: Policy = next;
  const stop = store.subscribe('settings', () => {
    store
      .read((tx) => settings.get<Policy>(tx, 'policy'))
      .then((found) => {
        if (!found) return;
        const changed = withDefaults(found);
        reportRetention(log, current, changed);
        current = changed;
      })
      .catch(() => {
        // The store is closing or unavailable: keep the last known policy.
      });
  });
  return { policy: () => current, stop };
}

/** A stored policy with what it does not have. */
const withDefaults = (stored: Policy | undefined): Policy => ({
  ...DEFAULT_POLICY,
  ...stored,
  retain: { ...DEFAULT_POLICY.retain, ...stored?.retain },
});

function reportRetention(log: Log, before: Policy, now: Policy): void {
  for (const name of RETAINED_LOGS)
    if (before.retain[name] !== now.retain[name])
      log('warn', 'retention changed', {
        log: name,
        before: retentionText(before.retain[name]),
        now: retentionText(now.retain[name]),
      });
}
