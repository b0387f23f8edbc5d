import { Lru } from '../../../kit/lru.ts';
import type { Store } from '../../platform/store/store.ts';
import { apiKeys, type KeyKind } from './api-keys.ts';

const PART_MS = 15 * 60_000;
const DAY_MS = 86_400_000;
/** Keys and endpoints whose refusals are kept; the one that was refused least recently goes first. */
const MOST = 500;
/** Of these, those that are read. */
const MOST_READ = 50;

/** Requests with a key to an endpoint that were over a limit. Times are Unix ms. */
interface Refused {
  readonly keyId: string;
  readonly endpoint: string;
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** With what is known of the key; null for one that is gone. */
export interface TurnedAwayRow extends Refused {
  readonly name: string | null;
  readonly kind: KeyKind | null;
}

interface Entry {
  readonly workspaceId: string;
  readonly keyId: string;
  readonly endpoint: string;
  /** By quarters of an hour, the oldest first. */
  parts: { readonly number: number; readonly firstAt: number; count: number }[];
  lastAt: number;
}

/** Counts the requests of this process that were answered with 429, by key and endpoint, for a day. */
export class TurnedAway {
  readonly #now: () => number;
  readonly #entries = new Lru<string, Entry>(MOST);
  readonly #since: number;

  /** `now` is in Unix ms. */
  constructor(now: () => number) {
    this.#now = now;
    this.#since = now();
  }

  add(workspaceId: string, keyId: string, endpoint: string): void {
    const key = `${workspaceId} ${keyId} ${endpoint}`;
    const now = this.#now();
    const entry = this.#entries.get(key) ?? { workspaceId, keyId, endpoint, parts: [], lastAt: now };
    this.#entries.set(key, entry);
    entry.lastAt = now;
    const number = Math.floor(now / PART_MS);
    const last = entry.parts.at(-1);
    if (last?.number === number) last.count++;
    else entry.parts = [...lately(entry.parts, now), { number, firstAt: now, count: 1 }];
  }

  /** Those of a workspace in the last day, the most first, and since when they are counted. */
  async read(
    store: Pick<Store, 'read'>,
    workspaceId: string,
  ): Promise<{ readonly since: number; readonly rows: TurnedAwayRow[] }> {
    const now = this.#now();
    const refused = this.#entries
      .values()
      .filter((entry) => entry.workspaceId === workspaceId)
      .flatMap(({ keyId, endpoint, parts, lastAt }): Refused[] => {
        const recent = lately(parts, now);
        const [first] = recent;
        const count = recent.reduce((sum, part) => sum + part.count, 0);
        return first ? [{ keyId, endpoint, count, firstAt: first.firstAt, lastAt }] : [];
      })
      .sort((a, b) => b.count - a.count)
      .slice(0, MOST_READ);
    const keys = new Map(
      await (refused.length === 0
        ? []
        : store.read(async (tx) => {
            const ids = [...new Set(refused.map(({ keyId }) => keyId))];
            return Promise.all(ids.map(async (id) => [id, await apiKeys.get(tx, id)] as const));
          })),
    );
    const rows = refused.map((each) => {
      const { name = null, kind = null } = keys.get(each.keyId) ?? {};
      return { ...each, name, kind };
    });
    return { since: Math.max(this.#since, now - DAY_MS), rows };
  }
}

const lately = (parts: Entry['parts'], now: number) =>
  parts.filter(({ number }) => number > Math.floor((now - DAY_MS) / PART_MS));
