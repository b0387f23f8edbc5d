import type { WatchTick } from '../../../contract/schemas/events.ts';

/** What was counted in one second of the service's clock. */
export interface Rate {
  /** Seconds since 1970. */
  readonly second: number;
  readonly received: number;
  readonly matched: number;
  readonly shown: number;
  readonly untested: number;
}
/** Seconds in a row, oldest first. A second in which the stream was lost is missing. */
export type Rates = readonly Rate[];

/** Seconds that the plot shows: the fewer while it has few. */
const SECONDS = 120;
const FEWEST_SECONDS = 30;

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
    matched: before.matched + tick.matched,
    shown: before.shown + tick.shown,
    untested: before.untested + tick.untested,
  };
  const between: Rate[] = [];
  // Ticks are at most about a second apart: more were lost.
  if (steady && last && second - last.second <= 3)
    for (let missing = last.second + 1; missing < second; missing++) between.push(none(missing));
  return [...rest, ...between, now].filter((rate) => rate.second > second - SECONDS);
}

/** The last second that is complete; undefined before. */
export const lastSecond = (rates: Rates): Rate | undefined => rates.at(-2);

/** The columns of the plot: every second of the last two minutes, or since the first one, null where nothing is known. */
export function columnsOf(rates: Rates): {
  xs: number[];
  received: (number | null)[];
  matched: (number | null)[];
} {
  const known = new Map(rates.slice(0, -1).map((rate) => [rate.second, rate]));
  const end = rates.at(-1)?.second ?? Math.floor(Date.now() / 1000);
  const shown = Math.max(FEWEST_SECONDS, end - (rates[0]?.second ?? end));
  const xs = Array.from({ length: shown }, (_, i) => end - shown + i);
  return {
    xs,
    received: xs.map((second) => known.get(second)?.received ?? null),
    matched: xs.map((second) => known.get(second)?.matched ?? null),
  };
}
