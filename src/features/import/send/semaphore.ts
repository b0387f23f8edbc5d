/** At most `size` pieces of work at a time; the others wait their turn, first come, first served. */
export class Semaphore {
  private free: number;
  private readonly size: number;
  private readonly waiting: (() => void)[] = [];

  constructor(size: number) {
    this.size = size;
    this.free = size;
  }

  /** How many are taken. */
  get busy(): number {
    return this.size - this.free;
  }

  /** Takes a lane; call `leave` once when done. */
  async enter(): Promise<void> {
    if (this.free > 0) {
      this.free--;
      return;
    }
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  leave(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.free++;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.enter();
    try {
      return await work();
    } finally {
      this.leave();
    }
  }
}
