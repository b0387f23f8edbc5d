const UNITS: readonly (readonly [number, string])[] = [
  [24 * 3600_000, 'd'],
  [3600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
];

/** Formats a duration in its largest whole unit: `12 s`, `3 min`, `2 d`. `ms` is at least 0. */
export function span(ms: number): string {
  const [length, name] = UNITS.find(([length]) => ms >= length) ?? [1000, 's'];
  return `${Math.floor(ms / length)} ${name}`;
}

/** Formats the time since a moment: `now`, `12 s ago`. */
export function ago(at: number, now: number): string {
  const passed = Math.max(0, now - at);
  return passed < 1000 ? 'now' : `${span(passed)} ago`;
}
