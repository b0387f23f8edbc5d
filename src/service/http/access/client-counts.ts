import type { Clock } from '../../../kit/clock.ts';
import { Lru } from '../../../kit/lru.ts';
import { type CountedRequest, countRequest, type WindowCount } from '../../platform/limits/window-counter.ts';

/** Users, addresses and keys whose requests are counted at a time; who asked least recently is forgotten first. */
const MAX_COUNTED = 100_000;

/** A limit that a request counts against; null for none. */
interface ClientLimit {
  /** The scope and what is counted in it. */
  readonly key: string;
  readonly limit: number | null;
}

/** A request that counts against limits, in this order, up to the first one that refuses it. */
export interface ClientRequest {
  readonly windowMs: number;
  readonly limits: readonly ClientLimit[];
}

/** What a request came to for each limit up to the first that refused it; null where there is no limit. */
export type ClientVerdict = readonly (CountedRequest | null)[];

/** Counts requests, for this process or all processes of a node. */
export type CountClients = (request: ClientRequest) => ClientVerdict | Promise<ClientVerdict>;

/** Counts the requests of clients in memory, by the clock of this process. */
export function clientCounts(clock: Pick<Clock, 'now'>): (request: ClientRequest) => ClientVerdict {
  const counts = new Lru<string, WindowCount>(MAX_COUNTED);
  return ({ windowMs, limits }) => {
    const now = clock.now();
    const verdict: (CountedRequest | null)[] = [];
    for (const { key, limit } of limits) {
      const counted = limit === null ? null : countRequest(counts.get(key), now, windowMs, limit);
      verdict.push(counted);
      if (counted) counts.set(key, counted.count);
      if (counted && !counted.admitted) break;
    }
    return verdict;
  };
}
