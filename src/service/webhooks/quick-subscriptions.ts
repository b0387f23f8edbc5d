import { isSuccess } from './rules/attempt.ts';

/** A receiver is quick once all of a batch were answered within this time, and until one takes longer than SLOW_MS, in ms. */
const QUICK_MS = 100;
const SLOW_MS = 1000;
/** Fewer say nothing: a claim for each is as good. */
const BATCH = 8;
/** The most that are remembered. */
const REMEMBERED = 256;

interface Answered {
  readonly status: number | null;
  readonly durationMs: number;
}

/** The subscriptions whose receivers answer quickly. More of their deliveries are claimed at a time than are sent at a time. */
export class QuickSubscriptions {
  readonly #quick = new Set<string>();

  has(webhookId: string): boolean {
    return this.#quick.has(webhookId);
  }

  /** Called for each attempt that ended. */
  ended(webhookId: string, { status, durationMs }: Answered): void {
    if (!isSuccess(status) || durationMs > SLOW_MS) this.#quick.delete(webhookId);
  }

  /** Called for successful attempts that are stored together. */
  stored(webhookId: string, batch: readonly Answered[]): void {
    if (batch.length < BATCH || batch.some(({ durationMs }) => durationMs > QUICK_MS)) return;
    const [oldest] = this.#quick;
    if (this.#quick.size === REMEMBERED && !this.#quick.has(webhookId)) this.#quick.delete(oldest!);
    this.#quick.add(webhookId);
  }
}
