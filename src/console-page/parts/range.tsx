import type { VNode } from 'preact';
import { search } from '../data/api.ts';
import type { Filters } from '../data/filters.ts';
import { clock } from './charts/tick-words.ts';
import { Instant } from './instant.tsx';
import { Segments } from './segments.tsx';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The ranges that end now, in ms. */
const RANGES = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;
const LABELS = [
  ['', 'All'],
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
 * The range of a chart by hours: like `rangeOf`, where a day is this hour and the 23 before, as the overview has it, and the last
 * hour reaches back to the beginning of one. Else it would have a part of one more, with all of its counts.
 */
export function chartRangeOf(filters: Pick<Filters, 'values'>, now = Date.now()): Range {
  const { range, since, until } = filters.values;
  const isDay = range === 'day' || !(range || since || until);
  if (!isDay && range !== 'hour') return rangeOf(filters, now);
  return { since: new Date((Math.floor(now / HOUR_MS) - (isDay ? 23 : 1)) * HOUR_MS).toISOString() };
}

/**
 * The range of a view in words, after what happened: `in the last 24 hours`. The last hour of a `trend` over the range of a
 * chart reaches back to the beginning of one: `since 09:00`.
 */
export function rangeWords(
  { range = '', since, until }: Filters['values'],
  trend?: { readonly from: string },
): string {
  const chosen = range || (since || until ? 'custom' : 'day');
  if (chosen === 'hour' && trend) return `since ${clock(Date.parse(trend.from))}`;
  return WORDS[chosen as keyof typeof WORDS] ?? 'in this range';
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
      {keptRange(filters.values) !== '' && <span class="note">kept on the way to other views</span>}
      {chosen === 'custom' && (
        <>
          <Instant label="Since" value={since} set={(at) => filters.set({ since: at })} />
          <Instant label="Until" value={until} set={(at) => filters.set({ until: at })} />
        </>
      )}
    </>
  );
}
