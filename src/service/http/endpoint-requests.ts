import { LatestDurations } from './latest-durations.ts';

const MINUTE_MS = 60_000;
const MINUTES = 60;

/** What came to an endpoint of this process in the last hour. */
export interface EndpointCounts {
  readonly endpoint: string;
  readonly requests: number;
  /** Of these, those that were answered with 4xx. */
  readonly refused: number;
  /** Those that were answered with 5xx. */
  readonly failed: number;
  /** How long the latest answers below 400 took; null before the first. */
  readonly latency: ReturnType<LatestDurations['quantiles']>;
}

interface Minute {
  number: number;
  requests: number;
  refused: number;
  failed: number;
}

/** Counts the requests to each endpoint of this process by minute, and keeps how long the latest took. */
export class EndpointRequests {
  readonly #now: () => number;
  readonly #of = new Map<string, { readonly minutes: Minute[]; readonly durations: LatestDurations }>();

  /** `now` is in ms. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Begins to measure a request; the result ends it. */
  begin(endpoint: string): (status: number) => void {
    const from = this.#now();
    return (status) => {
      const { minutes, durations } = this.#get(endpoint);
      const now = this.#now();
      const number = Math.floor(now / MINUTE_MS);
      let minute = minutes[number % MINUTES];
      if (minute?.number !== number)
        minute = minutes[number % MINUTES] = { number, requests: 0, refused: 0, failed: 0 };
      minute.requests++;
      if (status >= 500) minute.failed++;
      else if (status >= 400) minute.refused++;
      else durations.add(now - from);
    };
  }

  /** How long the latest answers of an endpoint took. */
  latest(endpoint: string): LatestDurations {
    return this.#get(endpoint).durations;
  }

  /** The endpoints with requests in the last hour, those with most first. */
  lastHour(): EndpointCounts[] {
    const oldest = Math.floor(this.#now() / MINUTE_MS) - MINUTES;
    return [...this.#of]
      .map(([endpoint, { minutes, durations }]) => {
        const counts = { requests: 0, refused: 0, failed: 0 };
        // Places of minutes without a request are not filled.
        minutes.forEach((minute) => {
          if (minute.number <= oldest) return;
          counts.requests += minute.requests;
          counts.refused += minute.refused;
          counts.failed += minute.failed;
        });
        return { endpoint, ...counts, latency: durations.quantiles() };
      })
      .filter(({ requests }) => requests > 0)
      .sort((a, b) => b.requests - a.requests || (a.endpoint < b.endpoint ? -1 : 1));
  }

  #get(endpoint: string) {
    const known = this.#of.get(endpoint) ?? { minutes: [], durations: new LatestDurations() };
    this.#of.set(endpoint, known);
    return known;
  }
}
