import type { VNode } from 'preact';
import { search } from '../data/api.ts';
import type { Filters } from '../data/filters.ts';
import { moments } from './charts/tick-words.ts';
import { Instant } from './instant.tsx';
import { Segments } from './segments.tsx';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The ranges that end now, in ms. */
const RANGES = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;
const LABELS = [
  ['', 'Any time'],
  ['hour', 'Last hour'],
  ['day', 'Day'],
  ['week', 'Week'],
  ['custom', 'Custom'],
] as const;
const WORDS = { hour: 'in the last hour', day: 'in the last 24 hours', week: 'in the last 7 days' } as const;

/** A range of time, as requests name it. */
export interface Range {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/**
 * The range of time of a view, as its URL has it; empty for all. The beginning of one that ends now is that of a minute,
 * so that it changes rarely.
 */
export function rangeOf({ values }: Pick<Filters, 'values'>, now = Date.now()): Range {
  const { range, since, until } = values;
  if (!range || range === 'custom') return { since: since || undefined, until: until || undefined };
  const ms = RANGES[range as keyof typeof RANGES];
  if (ms === undefined) return {};
  return { since: new Date(Math.floor((now - ms) / MINUTE_MS) * MINUTE_MS).toISOString() };
}

/**
 * The range of a chart by hours: like `rangeOf`, where a day is this hour and the 23 before, as the overview has it, and others
 * reach to the beginning and the end of one. Else they would have a part of one more, with all of its counts.
 */
export function chartRangeOf(filters: Pick<Filters, 'values'>, now = Date.now()): Range {
  const { range, since, until } = filters.values;
  const hours = (at: number) => new Date(at * HOUR_MS).toISOString();
  const isDay = range === 'day' || !(range || since || until);
  if (isDay || range === 'hour') return { since: hours(Math.floor(now / HOUR_MS) - (isDay ? 23 : 1)) };
  const chosen = rangeOf(filters, now);
  const from = Math.floor(Date.parse(chosen.since ?? '') / HOUR_MS);
  const end = Math.ceil(Date.parse(chosen.until ?? '') / HOUR_MS);
  return {
    since: from ? hours(from) : chosen.since,
    // None reaches into the future.
    until: end * HOUR_MS > now ? undefined : end ? hours(end) : chosen.until,
  };
}

/** The length of a step in words: `2 minutes`, `hour`, `3 hours`, `day`, `week`. */
export function stepWords(ms: number): string {
  const hours = ms / HOUR_MS;
  if (hours < 1) return `${ms / 60_000} minutes`;
  return hours === 1 ? 'hour' : hours < 24 ? `${hours} hours` : hours === 24 ? 'day' : 'week';
}

/**
 * The range of a view in words, after what happened: `in the last 24 hours`. That of a `trend` over the range of a chart is named
 * by the hours that are counted, where it is not a week: `since 09:00 (counted by the hour)`.
 */
export function rangeWords(
  { range = '', since, until }: Filters['values'],
  trend?: { readonly from: string; readonly until: string; readonly stepMs: number },
): string {
  const chosen = range || (since || until ? 'custom' : 'day');
  if (!trend || chosen === 'week') return WORDS[chosen as keyof typeof WORDS] ?? 'in this range';
  const [from, end] = [Date.parse(trend.from), Date.parse(trend.until)];
  const by = chosen === 'day' || trend.stepMs < HOUR_MS ? '' : ` (counted by the ${stepWords(trend.stepMs)})`;
  // Of a range that has not ended, the end is now.
  return chosen === 'custom' && end >= Date.parse(until ?? '')
    ? `from ${moments(from, end).join(' to ')}${by}`
    : `since ${moments(from)[0]}${by}`;
}

/** The query by which a link to another view keeps the range. */
export const keptRange = ({ range, since, until }: Filters['values']): string =>
  search({ range, since, until });

/**
 * The one control for ranges of time: the last hour, day or week, or between times that are chosen. `all` is offered where
 * a list has no end; charts show a day.
 */
export function RangeControl({ filters, all = true }: { filters: Filters; all?: boolean }): VNode {
  const { range = '', since = '', until = '' } = filters.values;
  const chosen = range || (since || until ? 'custom' : all ? '' : 'day');
  return (
    <>
      <Segments
        label="Range of time"
        options={all ? LABELS : LABELS.slice(1)}
        chosen={chosen}
        choose={(value) =>
          filters.set({ range: value, ...(value === 'custom' ? {} : { since: '', until: '' }) })
        }
      />
      {keptRange(filters.values) !== '' && <span class="note">applies to other views too</span>}
      {chosen === 'custom' && (
        <>
          <Instant label="Since" value={since} set={(at) => filters.set({ since: at })} />
          <Instant label="Until" value={until} set={(at) => filters.set({ until: at })} />
        </>
      )}
    </>
  );
}
