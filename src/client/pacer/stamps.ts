/** Most times that are held one by one: more than any limit of the specification lets through. */
const MOST_TIMES = 65_536;

/**
 * Times in ms, kept ascending, counted by binary search: requests come in order, so adding is an append. Where there
 * are more than MOST_TIMES, those within a grain of time become one that counts for all of them at the latest: memory
 * is bounded whatever the rate and the window, and nothing leaves too early.
 */
export class Stamps {
  #times: number[] = [];
  /** How many stamps there are up to and with each time, counted from the first that was ever added. */
  #upTo: number[] = [];
  #dropped = 0;
  /** In ms; 0 while each stamp has its own time. */
  #grain = 0;

  /** Times held, for a look at the memory. */
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
    if (this.#times.length > MOST_TIMES) this.#coarsen();
  }

  /** Takes one stamp of exactly this time out, if there is one. */
  remove(time: number): void {
    const before = this.#indexAfter(time) - 1;
    const index = this.#times[before] === time ? before : before + 1;
    if (this.#times[index] !== time && !this.#sameGrain(this.#times[index], time)) return;
    this.#count(index, -1);
    if (this.#before(index + 1) > this.#before(index)) return;
    this.#times.splice(index, 1);
    this.#upTo.splice(index, 1);
  }

  /** How many are later than `time`. */
  countAfter(time: number): number {
    return this.#before(this.#times.length) - this.#before(this.#indexAfter(time));
  }

  /** The first one later than `time`; Infinity when there is none. */
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

  /** How many stamps lie before the time at `index`. */
  #before(index: number): number {
    return index === 0 ? this.#dropped : this.#upTo[index - 1]!;
  }

  #coarsen(): void {
    const span = this.#times.at(-1)! - this.#times[0]!;
    this.#grain = Math.max(2 * this.#grain, (4 * span) / MOST_TIMES, 1);
    // Of a grain the last one stays, which has counted the others.
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
