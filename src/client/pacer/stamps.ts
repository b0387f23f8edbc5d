/** Upper bound on separate times: more than any limit of the specification allows per window. */
const MAX_TIMES = 65_536;

/**
 * A sorted list of times in ms, counted by binary search. Requests come in order, so adding is mostly an append.
 *
 * Above MAX_TIMES, times are merged into grains, each of which counts at its latest time. Memory is therefore bounded
 * at any rate and window, and no time expires too early.
 */
export class Stamps {
  #times: number[] = [];
  /** Number of stamps up to and including each time, counted from the first one ever added. */
  #upTo: number[] = [];
  #dropped = 0;
  /** Length of a grain in ms; 0 while each stamp has its own time. */
  #grain = 0;

  /** Number of times held, which bounds the memory. */
  get size(): number {
    return this.#times.length;
  }

  add(time: number): void {
    const index = this.#indexAfter(time);
    if (this.#sameGrain(this.#times[index - 1], time)) {
      this.#times[index - 1] = time;
      this.#count(index - 1, 1);
      return;
    }
    this.#upTo.splice(index, 0, this.#before(index));
    this.#times.splice(index, 0, time);
    this.#count(index, 1);
    if (this.#times.length > MAX_TIMES) this.#coarsen();
  }

  /** Removes one stamp of exactly this time, if there is one. */
  remove(time: number): void {
    const before = this.#indexAfter(time) - 1;
    const index = this.#times[before] === time ? before : before + 1;
    if (this.#times[index] !== time && !this.#sameGrain(this.#times[index], time)) return;
    this.#count(index, -1);
    if (this.#before(index + 1) > this.#before(index)) return;
    this.#times.splice(index, 1);
    this.#upTo.splice(index, 1);
  }

  /** Returns the number of stamps later than `time`. */
  countAfter(time: number): number {
    return this.#before(this.#times.length) - this.#before(this.#indexAfter(time));
  }

  /** Returns the first time later than `time`; Infinity if there is none. */
  firstAfter(time: number): number {
    return this.#times[this.#indexAfter(time)] ?? Infinity;
  }

  dropUntil(time: number): void {
    const index = this.#indexAfter(time);
    if (index === 0) return;
    this.#dropped = this.#before(index);
    this.#times.splice(0, index);
    this.#upTo.splice(0, index);
  }

  #sameGrain(a: number | undefined, b: number): boolean {
    return a !== undefined && this.#grain > 0 && Math.floor(a / this.#grain) === Math.floor(b / this.#grain);
  }

  #count(from: number, by: number): void {
    for (let at = from; at < this.#upTo.length; at++) this.#upTo[at]! += by;
  }

  /** Returns the number of stamps before the time at `index`. */
  #before(index: number): number {
    return index === 0 ? this.#dropped : this.#upTo[index - 1]!;
  }

  #coarsen(): void {
    const span = this.#times.at(-1)! - this.#times[0]!;
    this.#grain = Math.max(2 * this.#grain, (4 * span) / MAX_TIMES, 1);
    // The last time of a grain stays: its count includes the others.
    const isLast = this.#times.map((time, index) => !this.#sameGrain(this.#times[index + 1], time));
    this.#times = this.#times.filter((_, index) => isLast[index]);
    this.#upTo = this.#upTo.filter((_, index) => isLast[index]);
  }

  #indexAfter(time: number): number {
    let low = 0;
    let high = this.#times.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#times[middle]! > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
