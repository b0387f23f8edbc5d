import { LastHour } from './last-hour.ts';
import { LatestAnswers, type Parts } from './latest-answers.ts';

/** What a minute begins with. */
const NONE = { requests: 0, turnedAway: 0, refused: 0, failed: 0, byFaults: 0 };

/** What came to an endpoint of this process in the last hour. */
export interface EndpointCounts {
  readonly endpoint: string;
  readonly requests: number;
  /** Of these, those that were over a limit (429). */
  readonly turnedAway: number;
  /** Those that were answered with another 4xx. */
  readonly refused: number;
  /** Those that were answered with 5xx. */
  readonly failed: number;
  /** Of those with 429 and 5xx, the ones that an injected fault answered so. */
  readonly byFaults: number;
  /** How long the latest answers below 400 took; null before the first. */
  readonly latency: ReturnType<LatestAnswers['quantiles']>;
  /** The parts of the slowest of these, on average; null where none had a transaction. */
  readonly slowest: Parts | null;
}

/** A request that is measured. */
export interface Measured {
  /** Its work at the store begins: what was before is waiting. The last call counts. */
  workBegan(): void;
  workEnded(): void;
  end(status: number): void;
}

interface Kept {
  readonly hour: LastHour<typeof NONE>;
  readonly answers: LatestAnswers;
}

/** Counts the requests to each endpoint of this process by minute, and keeps how long the latest took. */
export class EndpointRequests {
  readonly #now: () => number;
  readonly #of = new Map<string, Kept>();

  /** `now` is in ms. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Begins to measure a request. */
  begin(endpoint: string): Measured {
    const from = this.#now();
    let began: number | undefined;
    let ended: number | undefined;
    return {
      workBegan: () => {
        began = this.#now();
      },
      workEnded: () => {
        ended = this.#now();
      },
      end: (status) => {
        const { hour, answers } = this.#get(endpoint);
        const now = this.#now();
        const minute = hour.current();
        minute.requests++;
        if (status >= 500) minute.failed++;
        else if (status === 429) minute.turnedAway++;
        else if (status >= 400) minute.refused++;
        else if (began === undefined || ended === undefined) answers.add(now - from);
        else answers.add(now - from, began - from, ended - began);
      },
    };
  }

  /**
   * Counts a request that an injected fault answered with 429 or 5xx; `isCounted` says that it was executed, and so is one
   * of those that were measured.
   */
  addFault(endpoint: string, status: number, isCounted: boolean): void {
    const minute = this.#get(endpoint).hour.current();
    if (!isCounted) minute.requests++;
    if (status >= 500) minute.failed++;
    else minute.turnedAway++;
    minute.byFaults++;
  }

  /** How long the latest answers of an endpoint took. */
  latest(endpoint: string): LatestAnswers {
    return this.#get(endpoint).answers;
  }

  /** The endpoints with requests in the last hour, those with most first. */
  lastHour(): EndpointCounts[] {
    return [...this.#of]
      .map(([endpoint, { hour, answers }]) => {
        const counts = { ...NONE };
        for (const minute of hour.read()) {
          counts.requests += minute.requests;
          counts.turnedAway += minute.turnedAway;
          counts.refused += minute.refused;
          counts.failed += minute.failed;
          counts.byFaults += minute.byFaults;
        }
        return { endpoint, ...counts, latency: answers.quantiles(), slowest: answers.slowest() };
      })
      .filter(({ requests }) => requests > 0)
      .sort((a, b) => b.requests - a.requests || (a.endpoint < b.endpoint ? -1 : 1));
  }

  /** The requests of all endpoints in each minute of the last hour, the oldest first. */
  byMinute(): number[] {
    const counts = new LastHour(this.#now, NONE).read().map(() => 0);
    for (const { hour } of this.#of.values())
      hour.read().forEach(({ requests }, i) => {
        counts[i]! += requests;
      });
    return counts;
  }

  #get(endpoint: string): Kept {
    const known = this.#of.get(endpoint) ?? {
      hour: new LastHour(this.#now, NONE),
      answers: new LatestAnswers(),
    };
    this.#of.set(endpoint, known);
    return known;
  }
}
