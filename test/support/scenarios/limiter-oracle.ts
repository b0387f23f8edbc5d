import type { Random } from '../../../src/kit/random.ts';
import type { Admission, Limiter, Rule } from '../../../src/service/platform/limits/limiter.ts';

/** The wrong decisions. */
export interface OracleReport {
  operations: number;
  admitted: number;
  refused: number;
  wronglyAllowed: number;
  wronglyRefused: number;
  /** Wrong numbers in a correct verdict and limiter time that decreases: the first few, as text. */
  faults: string[];
}

const GROUPS = ['ingest', 'inform', 'decisions', 'reads', 'webhooks'] as const;

/** A group of a workspace, with all its admitted requests. */
interface Key {
  readonly workspace: string;
  readonly group: (typeof GROUPS)[number];
  rule: Rule;
  log: number[];
  last: number;
}

/**
 * Sends requests to a limiter and compares each verdict with a full count of the admitted requests. Keys are used
 * concurrently, but each key sequentially, so that the order of its verdicts is known.
 */
export class LimiterOracle {
  readonly report: OracleReport = {
    operations: 0,
    admitted: 0,
    refused: 0,
    wronglyAllowed: 0,
    wronglyRefused: 0,
    faults: [],
  };
  readonly #keys: Key[];
  readonly #random: Random;
  readonly #rule: (random: Random) => Rule;

  constructor(keys: number, random: Random, rule: (random: Random) => Rule) {
    this.#random = random;
    this.#rule = rule;
    this.#keys = Array.from({ length: keys }, (_, i) => ({
      workspace: `ws_${Math.floor(i / GROUPS.length)}`,
      group: GROUPS[i % GROUPS.length]!,
      rule: rule(random),
      log: [],
      last: Number.NEGATIVE_INFINITY,
    }));
  }

  /** The latest limiter time of any verdict. */
  get newest(): number {
    return Math.max(...this.#keys.map((key) => key.last));
  }

  /** Sends up to `most` requests for each key. `limiterOf` returns the limiter of a process. */
  async ask(limiterOf: (key: number) => Limiter, most: number): Promise<void> {
    await Promise.all(
      this.#keys.map(async (key, i) => {
        // The operator occasionally changes a limit.
        if (this.#random() < 0.001) key.rule = { ...this.#rule(this.#random), windowMs: key.rule.windowMs };
        const count = Math.ceil(this.#random() * most);
        for (let n = 0; n < count; n++)
          this.#judge(key, await limiterOf(i)(key.workspace, key.group, key.rule));
      }),
    );
  }

  #judge(key: Key, { verdict, at }: Admission): void {
    const { report } = this;
    const { limit, windowMs } = key.rule;
    const counted = key.log.filter((stamp) => stamp > at - windowMs);
    const due = counted.length < limit;
    report.operations++;
    if (verdict.admitted) report.admitted++;
    else report.refused++;
    if (verdict.admitted && !due) report.wronglyAllowed++;
    if (!verdict.admitted && due) report.wronglyRefused++;
    if (at < key.last) this.#fault(`${key.workspace} ${key.group}: ${at} after ${key.last}`);
    const remaining = Math.max(0, limit - counted.length - (due ? 1 : 0));
    if (verdict.remaining !== remaining)
      this.#fault(`${key.workspace} ${key.group}: ${verdict.remaining} left instead of ${remaining}`);
    const resetAt = (counted[0] ?? at) + windowMs;
    if (verdict.resetAt !== resetAt)
      this.#fault(`${key.workspace} ${key.group}: reset at ${verdict.resetAt} instead of ${resetAt}`);
    if (!due) {
      const free = counted[counted.length - limit]! + windowMs;
      const wait = Math.max(1, Math.ceil((free - at) / 1000));
      if (verdict.retryAfter !== wait)
        this.#fault(`${key.workspace} ${key.group}: wait ${verdict.retryAfter} s instead of ${wait}`);
    }
    key.last = Math.max(key.last, at);
    key.log = counted;
    if (verdict.admitted) key.log.push(at);
  }

  #fault(text: string): void {
    if (this.report.faults.length < 10) this.report.faults.push(text);
  }
}
