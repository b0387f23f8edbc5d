/**
 * The order in which queued writes run. Writes run in groups that share a commit. A write that somebody waits for passes
 * bulk writes, and its group is committed without them; then a bulk write has its turn, so that a steady stream of the
 * former cannot stop the latter. Each kind runs in the order in which it was added.
 */
export class WriteQueue<Job> {
  readonly #urgent: Job[] = [];
  readonly #bulk: Job[] = [];
  readonly #limit: number;
  #group = { urgent: 0, bulk: 0 };
  /** True if the last group with urgent writes left bulk writes waiting and ran none. */
  #passed = false;

  /** `limit` is the highest number of writes in a group. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get length(): number {
    return this.#urgent.length + this.#bulk.length;
  }

  add(job: Job, bulk: boolean): void {
    (bulk ? this.#bulk : this.#urgent).push(job);
  }

  /** Starts the next group. */
  startGroup(): void {
    const { urgent, bulk } = this.#group;
    this.#passed = this.#bulk.length > 0 && bulk === 0 && (urgent > 0 || this.#passed);
    this.#group = { urgent: 0, bulk: 0 };
  }

  some(test: (job: Job) => boolean): boolean {
    return this.#urgent.some(test) || this.#bulk.some(test);
  }

  /** Takes the next write of the group; undefined ends the group, also before a write that does not fit into it. */
  next(fits: (job: Job) => boolean = () => true): { readonly job: Job; readonly bulk: boolean } | undefined {
    const { urgent, bulk } = this.#group;
    if (urgent + bulk === this.#limit) return undefined;
    const isTurnOfBulk = this.#passed && bulk === 0;
    const kind = this.#urgent.length > 0 && !isTurnOfBulk ? 'urgent' : 'bulk';
    if (kind === 'bulk' && urgent > 0) return undefined;
    const waiting = kind === 'urgent' ? this.#urgent : this.#bulk;
    if (waiting.length === 0 || !fits(waiting[0]!)) return undefined;
    this.#group[kind]++;
    return { job: waiting.shift()!, bulk: kind === 'bulk' };
  }
}
