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
  readonly startedAt: number;
  readonly durationMs: number;
}

/** The subscriptions whose receivers answer quickly. More of their deliveries are claimed at a time than are sent at a time. */
export class QuickSubscriptions {
  /** `failedAt`: when an attempt that failed had begun, Unix ms; 0 for none since. */
  readonly #known = new Map<string, { readonly quick: boolean; readonly failedAt: number }>();

  has(webhookId: string): boolean {
    return this.#known.get(webhookId)?.quick === true;
  }

  /** True once one of a quick subscription failed. A slow answer does not count: what is claimed keeps its order. */
  failed(webhookId: string): boolean {
    return this.#known.get(webhookId)?.failedAt !== 0;
  }

  /** Called for each attempt that ended. */
  ended(webhookId: string, { status, startedAt, durationMs }: Answered): void {
    if (!isSuccess(status)) this.#know(webhookId, { quick: false, failedAt: startedAt + durationMs });
    else if (durationMs > SLOW_MS && this.has(webhookId))
      this.#know(webhookId, { quick: false, failedAt: 0 });
  }

  /** Called for successful attempts that are stored together. */
  stored(webhookId: string, batch: readonly Answered[]): void {
    if (batch.length < BATCH || batch.some(({ durationMs }) => durationMs > QUICK_MS)) return;
    const failedAt = this.#known.get(webhookId)?.failedAt ?? 0;
    if (batch.every(({ startedAt }) => startedAt > failedAt))
      this.#know(webhookId, { quick: true, failedAt: 0 });
  }

  #know(webhookId: string, what: { readonly quick: boolean; readonly failedAt: number }): void {
    if (this.#known.size === REMEMBERED && !this.#known.has(webhookId))
      this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(webhookId, what);
  }
}
