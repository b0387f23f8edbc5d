import { Lru } from '../../kit/lru.ts';

const PART_MS = 15 * 60_000;
const DAY_MS = 86_400_000;
/** Things that are counted; the one that was counted least recently goes first. */
const MOST = 500;
/** Of these, those that are read. */
const MOST_READ = 50;

/** How often a thing was counted in the last day. Times are Unix ms. */
export interface DayCount {
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

interface Entry<T> {
  readonly of: T;
  /** By quarters of an hour, the oldest first. */
  parts: { readonly number: number; readonly firstAt: number; count: number }[];
  lastAt: number;
}

/** Counts things of this process for a day, in bounded memory. */
export class DayCounts<T extends object> {
  readonly #now: () => number;
  readonly #entries = new Lru<string, Entry<T>>(MOST);
  readonly #startedAt: number;

  /** `now` is in Unix ms. */
  constructor(now: () => number) {
    this.#now = now;
    this.#startedAt = now();
  }

  /** Counts one more of a thing; `of` says what it is, the same for the same key. */
  add(key: string, of: T): void {
    const now = this.#now();
    const entry = this.#entries.get(key) ?? { of, parts: [], lastAt: now };
    this.#entries.set(key, entry);
    entry.lastAt = now;
    const number = Math.floor(now / PART_MS);
    const last = entry.parts.at(-1);
    if (last?.number === number) last.count++;
    else entry.parts = [...lately(entry.parts, now), { number, firstAt: now, count: 1 }];
  }

  /** Those of the last day, the most first, and since when they are counted: the start of the process, or a day ago. */
  read(isWanted: (of: T) => boolean = () => true): {
    readonly since: number;
    readonly rows: readonly (T & DayCount)[];
  } {
    const now = this.#now();
    const rows = this.#entries
      .values()
      .filter(({ of }) => isWanted(of))
      .flatMap(({ of, parts, lastAt }): (T & DayCount)[] => {
        const recent = lately(parts, now);
        const [first] = recent;
        const count = recent.reduce((sum, part) => sum + part.count, 0);
        return first ? [{ ...of, count, firstAt: first.firstAt, lastAt }] : [];
      })
      .sort((a, b) => b.count - a.count)
      .slice(0, MOST_READ);
    return { since: Math.max(this.#startedAt, now - DAY_MS), rows };
  }
}

const lately = (parts: Entry<object>['parts'], now: number) =>
  parts.filter(({ number }) => number > Math.floor((now - DAY_MS) / PART_MS));
