/** Upper ends of the classes of latency, in ms. The last is the deadline of a delivery. */
const BOUNDS = [
  ...[2, 5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750],
  ...[1000, 1500, 2000, 3000, 5000, 7500, 10_000, 15_000],
] as const;
/** Class of attempts without an answer, and what is added to those of refused ones. */
const UNANSWERED = -1;
const REFUSED = 100;

/** Attempts of one class. */
export interface AttemptCount {
  readonly class: number;
  readonly n: number;
}

/** How attempts went. Latencies are of those that were answered; missing without one. */
export interface Performance {
  readonly attempts: number;
  readonly delivered: number;
  readonly p50Ms?: number;
  readonly p95Ms?: number;
}

/** The class in which an attempt is counted. */
export function classOf({ status, durationMs }: { status: number | null; durationMs: number }): number {
  if (status === null) return UNANSWERED;
  const found = BOUNDS.findIndex((most) => durationMs <= most);
  return (found === -1 ? BOUNDS.length - 1 : found) + (status >= 200 && status < 300 ? 0 : REFUSED);
}

/** True for attempts that were answered with 2xx. */
export const isDelivered = ({ class: of }: AttemptCount): boolean => of !== UNANSWERED && of < REFUSED;

/** Upper ends of the coarser classes that charts show; each is one of BOUNDS. */
const CHART_BOUNDS = [10, 30, 100, 300, 1000, 3000, 15_000];

/** How many attempts were answered within each of the classes of charts, and within none of those before. */
export function latencyOf(counts: readonly AttemptCount[]): {
  readonly boundsMs: readonly number[];
  readonly answered: readonly number[];
} {
  const answered = CHART_BOUNDS.map(() => 0);
  for (const { class: of, n } of counts)
    if (of !== UNANSWERED) answered[CHART_BOUNDS.findIndex((most) => BOUNDS[of % REFUSED]! <= most)]! += n;
  return { boundsMs: CHART_BOUNDS, answered };
}

/** Adds counts up. A percentile is interpolated within its class. */
export function performanceOf(counts: readonly AttemptCount[]): Performance {
  const sum = (of: readonly AttemptCount[]) => of.reduce((total, { n }) => total + n, 0);
  const answered = counts.filter((each) => each.class !== UNANSWERED);
  const perClass = BOUNDS.map((_, i) => sum(answered.filter((each) => each.class % REFUSED === i)));
  return {
    attempts: sum(counts),
    delivered: sum(counts.filter(isDelivered)),
    ...(answered.length > 0 && { p50Ms: percentile(perClass, 0.5), p95Ms: percentile(perClass, 0.95) }),
  };
}

function percentile(perClass: readonly number[], share: number): number {
  const rank = share * perClass.reduce((total, n) => total + n, 0);
  let before = 0;
  for (const [i, n] of perClass.entries()) {
    if (n > 0 && before + n >= rank) {
      const from = BOUNDS[i - 1] ?? 0;
      return Math.round(from + (BOUNDS[i]! - from) * ((rank - before) / n));
    }
    before += n;
  }
  return BOUNDS.at(-1)!;
}
