import type { WatchTick } from '../../../contract/schemas/events.ts';

/** What was counted in one second of the service's clock. */
export interface Rate {
  /** Seconds since 1970. */
  readonly second: number;
  readonly received: number;
  /** Null before the filter counted. */
  readonly matched: number | null;
  readonly shown: number;
  readonly untested: number;
}
/** Seconds in a row, oldest first. A second in which the stream was lost is missing. */
export type Rates = readonly Rate[];

/** Most seconds that the plot shows. */
const SECONDS = 120;

const none = (second: number): Rate => ({ second, received: 0, matched: 0, shown: 0, untested: 0 });

/** Adds the counts of a tick to its second. Seconds without a tick had no events, if the stream was `steady`. */
export function addTick(rates: Rates, tick: WatchTick, steady: boolean): Rates {
  const second = Math.floor(Date.parse(tick.at) / 1000);
  const last = rates.at(-1);
  const rest = last?.second === second ? rates.slice(0, -1) : rates;
  const before = last?.second === second ? last : none(second);
  const now: Rate = {
    second,
    received: before.received + tick.received,
    matched: (before.matched ?? 0) + tick.matched,
    shown: before.shown + tick.shown,
    untested: before.untested + tick.untested,
  };
  const between: Rate[] = [];
  // Ticks are at most about a second apart: more were lost.
  if (steady && last && second - last.second <= 3)
    for (let missing = last.second + 1; missing < second; missing++) between.push(none(missing));
  return [...rest, ...between, now].filter((rate) => rate.second > second - SECONDS);
}

/**
 * The seconds until a view was opened in `second`, by when the events were received that it opens with, the oldest first.
 * Unless these are `all`, some of the oldest second may be missing. What comes later in `second` is added to it.
 */
export function ratesBefore(received: readonly string[], all: boolean, second: number): Rates {
  const counts = new Map<number, number>();
  for (const at of received) {
    const of = Math.floor(Date.parse(at) / 1000);
    counts.set(of, (counts.get(of) ?? 0) + 1);
  }
  const [oldest = second] = counts.keys();
  const from = Math.max(all ? 0 : oldest + 1, second - SECONDS + 1);
  return Array.from({ length: Math.max(0, second - from + 1) }, (_, i) => {
    const n = counts.get(from + i) ?? 0;
    return { second: from + i, received: n, matched: n, shown: n, untested: 0 };
  });
}

/** What was received before a filter changed: nothing is known of what would have matched it. */
export const withoutMatches = (rates: Rates): Rates => rates.map((rate) => ({ ...rate, matched: null }));

/** The last second that is complete; undefined before. */
export const lastSecond = (rates: Rates): Rate | undefined => rates.at(-2);

/** The columns of the plot: every second since the first that is known, null where nothing is. */
export function columnsOf(rates: Rates): {
  /** Unix ms. */
  times: number[];
  received: (number | null)[];
  matched: (number | null)[];
} {
  const known = new Map(rates.slice(0, -1).map((rate) => [rate.second, rate]));
  const end = rates.at(-1)?.second ?? Math.floor(Date.now() / 1000);
  const shown = end - (rates[0]?.second ?? end);
  const seconds = Array.from({ length: shown }, (_, i) => end - shown + i);
  return {
    times: seconds.map((second) => second * 1000),
    received: seconds.map((second) => known.get(second)?.received ?? null),
    matched: seconds.map((second) => known.get(second)?.matched ?? null),
  };
}
