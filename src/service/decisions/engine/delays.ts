/** The number of delays that are kept of one part of the reward. */
const MAX_DELAYS = 63;

/** Parts of which delays are kept: the 20 goals of a catalog, the rest, and some of catalogs before. */
const MAX_PARTS = 32;

/** Time that stands for any number of decisions, in multiples of a delay: where traffic stops, learning does not. */
const LONG = 24;

/** What a response tells of how much each part earns lasts for about 1 / (1 - MEMORY) responses. */
const MEMORY = 0.999;

/** A part that earns a smaller share of the reward is not waited for. */
const LEAST = 0.05;

/** How long something took: in ms, and in decisions made meanwhile. */
export interface Delay {
  readonly ms: number;
  readonly decisions: number;
}

/** What one part of the reward of a decision was, and is. */
export interface PartOfReward {
  /** The goal; empty for the outcomes of the message, or the reward that was reported in place of everything. */
  readonly part: string;
  readonly from: number;
  readonly to: number;
}

/** How long recent responses took. */
export class Delays {
  readonly kept: Delay[] = [];
  #shares = new Map<number, Delay>();

  add({ ms, decisions }: Delay): void {
    this.kept.push({ ms: Math.max(ms, 0), decisions });
    if (this.kept.length > MAX_DELAYS) this.kept.shift();
    this.#shares.clear();
  }

  /**
   * True for a decision that is at least as old as this share of the responses were, both in time and in decisions: where
   * traffic becomes less, or a machine slower, the same delays take longer. Much more time is enough alone.
   */
  havePassed(share: number, { ms, decisions }: Delay): boolean {
    let limit = this.#shares.get(share);
    if (!limit) {
      limit = {
        ms: this.#quantile(share, (delay) => delay.ms),
        decisions: this.#quantile(share, (delay) => delay.decisions),
      };
      this.#shares.set(share, limit);
    }
    return ms >= limit.ms && (decisions >= limit.decisions || ms >= LONG * limit.ms);
  }

  #quantile(share: number, of: (delay: Delay) => number): number {
    const sorted = this.kept.map(of).sort((a, b) => a - b);
    return sorted[Math.floor(share * sorted.length)] ?? 0;
  }
}

/** What is known of one part of the reward. */
interface Part {
  /** What it earned of late. */
  earned: number;
  readonly delays: Delays;
}

/** How long the responses of each part of the reward took: clicks come within minutes, orders within days. */
export class PartDelays {
  readonly parts = new Map<string, Part>();

  /** Takes note of what the parts of the reward of one decision earned, so long after it. */
  add(changes: readonly PartOfReward[], delay: Delay): void {
    for (const { part, from, to } of changes) {
      if (from === to) continue;
      const known = this.parts.get(part) ?? this.#start(part);
      known.earned = Math.max(0, known.earned + to - from);
      if (from > 0 || to <= 0) continue;
      known.delays.add(delay);
      for (const each of this.parts.values()) each.earned *= MEMORY;
    }
  }

  /** True for a decision for which, of some part of the reward, this share of the responses have had time to arrive. */
  haveSomePassed(share: number, age: Delay): boolean {
    const waitedFor = this.#waitedFor();
    return waitedFor.length === 0 || waitedFor.some((delays) => delays.havePassed(share, age));
  }

  /** True for a decision for which, of each part of the reward, this share of the responses have had time to arrive. */
  haveAllPassed(share: number, age: Delay): boolean {
    return this.#waitedFor().every((delays) => delays.havePassed(share, age));
  }

  #waitedFor(): Delays[] {
    let all = 0;
    for (const { earned } of this.parts.values()) all += earned;
    return [...this.parts.values()].flatMap(({ earned, delays }) => (earned >= LEAST * all ? [delays] : []));
  }

  #start(part: string): Part {
    if (this.parts.size >= MAX_PARTS) {
      const [least] = [...this.parts].reduce((a, b) => (b[1].earned < a[1].earned ? b : a));
      this.parts.delete(least);
    }
    const made = { earned: 0, delays: new Delays() };
    this.parts.set(part, made);
    return made;
  }
}
