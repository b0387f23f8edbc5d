const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const WEEKDAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short' });
const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short' });

/**
 * What an axis says at its ticks (Unix ms): days where these are a day apart or more, otherwise times of day, with the day at
 * midnight and the weekday at the first tick of a day that is not today. Seconds where ticks are less than a minute apart.
 */
export function tickWords(ticks: readonly number[]): string[] {
  const gap = (ticks.at(-1)! - ticks[0]!) / Math.max(1, ticks.length - 1);
  let day = DAY.format(Date.now());
  return ticks.map((at) => {
    const [before, time] = [day, clock(at, gap > 0 && gap < MINUTE_MS)];
    day = DAY.format(at);
    // A day may have an hour less.
    if (gap > 0.9 * DAY_MS || (time === '00:00' && day !== before)) return day;
    return day === before ? time : `${WEEKDAY.format(at)} ${time}`;
  });
}

/** Times of this place, with their days unless all are of today: `Sat 28 Nov 15:00`. */
export const moments = (...times: readonly number[]): string[] => {
  const isToday = times.every((at) => new Date(at).toDateString() === new Date().toDateString());
  return times.map((at) => (isToday ? clock(at) : `${DAY.format(at)} ${clock(at)}`));
};

/** A time of day of this place. */
export const clock = (at: number, seconds = false): string =>
  new Date(at).toLocaleTimeString('en-GB').slice(0, seconds ? 8 : 5);
