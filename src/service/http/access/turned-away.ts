import type { Store } from '../../platform/store/store.ts';
import { type DayCount, DayCounts } from '../last-day.ts';
import { apiKeys, type KeyKind } from './api-keys.ts';

/** Requests with a key to an endpoint that were over a limit. */
interface Refused {
  readonly workspaceId: string;
  readonly keyId: string;
  readonly endpoint: string;
}

/** With what is known of the key; null for one that is gone. */
export interface TurnedAwayRow extends Omit<Refused, 'workspaceId'>, DayCount {
  readonly name: string | null;
  readonly kind: KeyKind | null;
}

/** Counts the requests of this process that were answered with 429, by key and endpoint, for a day. */
export class TurnedAway {
  readonly #counts: DayCounts<Refused>;

  /** `now` is in Unix ms. */
  constructor(now: () => number) {
    this.#counts = new DayCounts(now);
  }

  add(workspaceId: string, keyId: string, endpoint: string): void {
    this.#counts.add(`${workspaceId} ${keyId} ${endpoint}`, { workspaceId, keyId, endpoint });
  }

  /** Those of a workspace in the last day, the most first, and since when they are counted. */
  async read(
    store: Pick<Store, 'read'>,
    workspaceId: string,
  ): Promise<{ readonly since: number; readonly rows: TurnedAwayRow[] }> {
    const { since, rows: refused } = this.#counts.read((of) => of.workspaceId === workspaceId);
    const keys = new Map(
      await (refused.length === 0
        ? []
        : store.read(async (tx) => {
            const ids = [...new Set(refused.map(({ keyId }) => keyId))];
            return Promise.all(ids.map(async (id) => [id, await apiKeys.get(tx, id)] as const));
          })),
    );
    const rows = refused.map(({ workspaceId: _, ...each }) => {
      const { name = null, kind = null } = keys.get(each.keyId) ?? {};
      return { ...each, name, kind };
    });
    return { since, rows };
  }
}
