/** Diagnoses refused deliveries in the background: a bounded queue, short time slices, a budget per second. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Diagnosis, diagnoseInSteps, type Evidence } from './signature-diagnosis/diagnose.ts';

/** Budget of diagnoses per second, so that a flood of bad deliveries does not delay the good ones. */
const EXPLANATIONS_PER_SECOND = 50;
/** Body size that costs one unit of the budget. A larger body costs more and gets a shallow diagnosis. */
const BYTES_PER_UNIT = 32 * 1024;
/** Cost of a diagnosis that finds nothing, because every known mistake was tried. */
const COST_OF_UNKNOWN = 25;
/** Maximum length of the queue; the bodies of queued deliveries stay in memory. */
const MAX_QUEUED = 16;
/** Longest time the event loop is blocked, in ms, plus or minus one step. */
const SLICE_MS = 4;

const notExplained = (why: string): Diagnosis => ({ name: 'unknown', summary: `Not diagnosed: ${why}.` });
const TOO_MANY = notExplained('too many deliveries failed verification at once');
const STOPPED = notExplained('the listener stopped');

interface Queued {
  readonly evidence: Evidence;
  readonly done: (diagnosis: Diagnosis) => void;
}

export class DiagnosisQueue {
  readonly #now: () => number;
  readonly #queue: Queued[] = [];
  #budget = { since: 0, spent: 0 };
  #work: Promise<void> | undefined;
  #stopped = false;

  /** @param now Unix ms, for the budget per second */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Queues a diagnosis, or declines it at once where the queue or the budget is exhausted. Calls `done` exactly once. */
  diagnose(evidence: Evidence, done: (diagnosis: Diagnosis) => void): void {
    if (this.#stopped) done(STOPPED);
    else if (this.#queue.length >= MAX_QUEUED || !this.#hasBudget()) done(TOO_MANY);
    else {
      this.#queue.push({ evidence, done });
      this.#work ??= this.#processQueue().finally(() => {
        this.#work = undefined;
      });
    }
  }

  /** Resolves once the queue is empty. After `timeoutMs` the remaining deliveries are reported without a diagnosis. */
  async stop(timeoutMs: number): Promise<void> {
    const late = setTimeout(() => {
      this.#stopped = true;
    }, timeoutMs);
    await this.#work;
    clearTimeout(late);
    this.#stopped = true;
  }

  async #processQueue(): Promise<void> {
    await nextTurn(); // send the answer first
    for (let next = this.#queue[0]; next; next = this.#queue[0]) {
      const diagnosis = this.#hasBudget() ? await this.#diagnoseInSlices(next.evidence) : TOO_MANY;
      this.#queue.shift();
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
    // A clock that was set back starts a new second too.
    if (elapsed >= 1000 || elapsed < 0) this.#budget = { since: now, spent: 0 };
    return this.#budget.spent < EXPLANATIONS_PER_SECOND;
  }
}
