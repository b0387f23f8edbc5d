const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  ...[1, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 7, 14, 28, 91, 182, 364].map((n) => n * DAY),
];

/** The next round value: 1, 2 or 5 times a power of ten. */
export function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  // 0.2 / 0.1 is not quite 2.
  return power * ([1, 2, 5].find((n) => n >= value / power - 1e-9) ?? 10);
}

/** Round values from 0 to `max`, at most 5: 1, 2 or 5 times a power of ten apart, and `least` at least. */
export function valueTicks(max: number, least = 0): number[] {
  const step = roundUp(Math.max(max / 4, least, Number.MIN_VALUE));
  return Array.from({ length: Math.floor(max / step + 1e-9) + 1 }, (_, i) => i * step);
}

/** Round times of this place between two (Unix ms), at most 6: the same times of each hour or day. */
export function timeTicks(from: number, until: number): number[] {
  const step = STEPS.find((each) => (until - from) / each < 6) ?? (until - from) / 5;
  const zone = zoneAt(from);
  const first = Math.ceil((from - zone) / step) * step;
  // Summer time may begin or end in between.
  return Array.from({ length: 6 }, (_, i) => first + i * step)
    .map((local) => local + zoneAt(local + zone))
    .filter((at) => at >= from && at <= until);
}

/** What is added to a local time for UTC. */
const zoneAt = (at: number): number => new Date(at).getTimezoneOffset() * MINUTE;
