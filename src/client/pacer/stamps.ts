/** Times in ms, kept ascending, counted by binary search: requests come in order, so adding is an append. */
export class Stamps {
  #times: number[] = [];

  add(time: number): void {
    const last = this.#times.at(-1);
    if (last === undefined || last <= time) this.#times.push(time);
    else this.#times.splice(this.#indexAfter(time), 0, time);
  }

  /** Takes one stamp of exactly this time out, if there is one. */
  remove(time: number): void {
    const index = this.#indexAfter(time) - 1;
    if (this.#times[index] === time) this.#times.splice(index, 1);
  }

  /** How many are later than `time`. */
  countAfter(time: number): number {
    return this.#times.length - this.#indexAfter(time);
  }

  /** The first one later than `time`; Infinity when there is none. */
  firstAfter(time: number): number {
    return this.#times[this.#indexAfter(time)] ?? Infinity;
  }

  dropUntil(time: number): void {
    const index = this.#indexAfter(time);
    if (index > 0) this.#times.splice(0, index);
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
