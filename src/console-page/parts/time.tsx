import type { VNode } from 'preact';
import { count } from './numbers.ts';

/** Made once: that takes longer than to format with it, and a list may have 2,000 times. */
const ZONED = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' });

const two = (n: number, width = 2) => String(n).padStart(width, '0');

/**
 * An instant in the time zone of the reader: the time today, the day with the time to the minute on other days of the year,
 * and the whole date in other years. How long ago it is, the date with the zone, and the exact instant in UTC are in the title: a
 * list says when, and a sentence how long ago (`Ago`).
 */
export function Time(props: {
  at: string | number;
  millis?: boolean;
  /** True for the beginning of a minute or an hour. */
  whole?: boolean;
  /** True where the day stands above. */
  ofDay?: boolean;
}): VNode {
  const { at, millis = false, whole = false, ofDay = false } = props;
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <span>{String(at)}</span>;
  const iso = date.toISOString();
  const now = new Date();
  const today = date.toDateString() === now.toDateString();
  const thisYear = date.getFullYear() === now.getFullYear();
  const minute = `${two(date.getHours())}:${two(date.getMinutes())}`;
  const clock = (today && !whole) || millis || !thisYear ? `${minute}:${two(date.getSeconds())}` : minute;
  const fraction = millis ? `.${two(date.getMilliseconds(), 3)}` : '';
  // `Fri Nov 27 2026`
  const [, month] = date.toDateString().split(' ');
  const day = thisYear
    ? `${date.getDate()} ${month} `
    : `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} `;
  return (
    <time dateTime={iso} title={[agoWords(iso), ZONED.format(date), iso].filter(Boolean).join(' · ')}>
      {today || ofDay ? '' : day}
      {clock}
      {fraction}
    </time>
  );
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const SINCE = [
  [DAY_MS, 'day'],
  [HOUR_MS, 'hour'],
  [MINUTE_MS, 'minute'],
] as const;

const DAY = new Intl.DateTimeFormat('en-GB', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
});

/** The day of an instant in the time zone of the reader: `Today`, `Yesterday` or `Friday 27 November 2026`. */
export function dayWords(at: string): string {
  const day = new Date(at);
  const now = new Date();
  if (day.toDateString() === now.toDateString()) return 'Today';
  const before = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  return day.toDateString() === before.toDateString() ? 'Yesterday' : DAY.format(day).replace(',', '');
}

/** How long ago an instant was; empty for one that is still to come. */
function agoWords(at: string): string {
  const ms = Date.now() - Date.parse(at);
  const [unit, name] = SINCE.find(([size]) => ms >= size) ?? [];
  if (unit === undefined) return ms < 0 ? '' : 'just now';
  const n = Math.floor(ms / unit);
  return `${count(n)} ${name}${n === 1 ? '' : 's'} ago`;
}

/** How long ago an instant was, in words: `3 minutes ago`. The date, the zone and the exact instant are in the title. */
export function Ago({ at }: { at: string }): VNode {
  return (
    <time dateTime={at} title={`${ZONED.format(new Date(at))} · ${at}`}>
      {agoWords(at) || 'just now'}
    </time>
  );
}

/** A duration in words: `420 ms`, `1.2 s`, `5 min`, `3 h`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Number((ms / 1000).toFixed(1))} s`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`;
  return `${count(Math.round(ms / 3_600_000))} h`;
}
