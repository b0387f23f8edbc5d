/** Explains refused deliveries beside the receiver's work: a few at a time, in short steps, on a budget. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Diagnosis, diagnoseInSteps, type Evidence } from './signature-diagnosis/diagnose.ts';

/** Explanations in a second, so that a flood of bad deliveries does not hold up the good ones. */
const EXPLANATIONS_PER_SECOND = 50;
/** A larger body costs as much to explain as several that have this many bytes, and is not looked into deeply. */
const BYTES_PER_UNIT = 32 * 1024;
/** One that no known mistake explains costs as much as many: everything was tried. */
const COST_OF_UNKNOWN = 25;
/** Most that wait for their explanation, and with them their bodies in memory. */
const MAX_QUEUED = 16;
/** How long the event loop is held at once, in ms, give or take one step. */
const SLICE_MS = 4;

const notExplained = (why: string): Diagnosis => ({ name: 'unknown', summary: `Not looked into: ${why}.` });
const TOO_MANY = notExplained('too many deliveries at once do not verify');
const STOPPED = notExplained('the listener stopped');

interface Waiting {
  readonly evidence: Evidence;
  readonly done: (diagnosis: Diagnosis) => void;
}

export class DiagnosisQueue {
  readonly #now: () => number;
  readonly #waiting: Waiting[] = [];
  #budget = { since: 0, spent: 0 };
  #work: Promise<void> | undefined;
  #stopped = false;

  /** @param now Unix ms, for the budget of a second */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Explains when there is time, in the order of the calls, or says at once that it does not. Calls `done` once. */
  explain(evidence: Evidence, done: (diagnosis: Diagnosis) => void): void {
    if (this.#stopped) done(STOPPED);
    else if (this.#waiting.length >= MAX_QUEUED || !this.#hasBudget()) done(TOO_MANY);
    else {
      this.#waiting.push({ evidence, done });
      this.#work ??= this.#processQueue().finally(() => {
        this.#work = undefined;
      });
    }
  }

  /** Resolves once nothing waits, after `patienceMs` at the latest: what is left then is not explained. */
  async stop(timeoutMs: number): Promise<void> {
    const late = setTimeout(() => {
      this.#stopped = true;
    }, timeoutMs);
    await this.#work;
    clearTimeout(late);
    this.#stopped = true;
  }

  async #processQueue(): Promise<void> {
    await nextTurn(); // the answer leaves first
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      const diagnosis = this.#hasBudget() ? await this.#diagnoseInSlices(next.evidence) : TOO_MANY;
      this.#waiting.shift();
      next.done(diagnosis);
    }
  }

  async #diagnoseInSlices(evidence: Evidence): Promise<Diagnosis> {
    const cost = Math.max(1, evidence.body.length / BYTES_PER_UNIT);
    const steps = diagnoseInSteps(evidence, cost > 1 ? 'shallow' : 'full');
    let until = performance.now() + SLICE_MS;
    while (!this.#stopped) {
      const step = steps.next();
      if (step.done) {
        this.#budget.spent += step.value.name === 'unknown' ? cost * COST_OF_UNKNOWN : cost;
        return step.value;
      }
      if (performance.now() < until) continue;
      await nextTurn();
      until = performance.now() + SLICE_MS;
    }
    return STOPPED;
  }

  #hasBudget(): boolean {
    const now = this.#now();
    const elapsed = now - this.#budget.since;
    // A clock that was set back begins a second too.
    if (elapsed >= 1000 || elapsed < 0) this.#budget = { since: now, spent: 0 };
    return this.#budget.spent < EXPLANATIONS_PER_SECOND;
  }
}
