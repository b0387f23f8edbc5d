import { setTimeout } from 'node:timers/promises';
import type { Platform } from '../platform/platform.ts';
import { recordResult } from '../platform/workers/jobs.ts';
import type { QuickSubscriptions } from './quick-subscriptions.ts';
import type { Ended } from './store/attempts.ts';
import type { ClaimedDelivery } from './store/claims.ts';
import { deliveries } from './store/deliveries.ts';

/** How long successes of a subscription are gathered, in ms. Their places are free for others after it. */
const GATHERED_MS = 12;

/** A successful attempt, before it is stored. */
type Success = Omit<Ended['attempt'], 'endedAt'>;

interface Batch {
  readonly ended: { readonly claimed: ClaimedDelivery; readonly attempt: Success }[];
  /** Resolves once they are stored. */
  readonly stored: Promise<void>;
}

/** Stores successful attempts: those of a subscription that end while earlier ones are being stored are stored together. */
export class Successes {
  readonly #platform: Pick<Platform, 'store' | 'clock' | 'precedence'>;
  readonly #stopping: () => AbortSignal;
  readonly #quick: QuickSubscriptions;
  /** The batch of each subscription that others may still join. */
  readonly #open = new Map<string, Batch>();
  /** The batch of each subscription that is stored last. */
  readonly #last = new Map<string, Promise<void>>();

  constructor(
    platform: Pick<Platform, 'store' | 'clock' | 'precedence'>,
    stopping: () => AbortSignal,
    quick: QuickSubscriptions,
  ) {
    this.#platform = platform;
    this.#stopping = stopping;
    this.#quick = quick;
  }

  /** Resolves once the attempt is stored, and rejects like `recordResult`. */
  add(claimed: ClaimedDelivery, attempt: Success): Promise<void> {
    const key = claimed.webhookId;
    const open = this.#open.get(key);
    if (open) {
      open.ended.push({ claimed, attempt });
      return open.stored;
    }
    const ended = [{ claimed, attempt }];
    const before = this.#last.get(key) ?? Promise.resolve();
    const stored = before
      .catch(() => {})
      .then(() => setTimeout(GATHERED_MS))
      .then(() => this.#store(key, ended))
      .finally(() => {
        if (this.#last.get(key) === stored) this.#last.delete(key);
      });
    this.#open.set(key, { ended, stored });
    this.#last.set(key, stored);
    return stored;
  }

  #store(key: string, ended: Batch['ended']): Promise<void> {
    return recordResult(
      this.#platform,
      this.#stopping(),
      async (tx) => {
        if (this.#open.get(key)?.ended === ended) this.#open.delete(key);
        await deliveries.succeed(
          tx,
          ended.map(({ claimed, attempt }) => ({ claimed, attempt: { ...attempt, endedAt: tx.now } })),
        );
      },
      { durable: false },
    )
      .then(() =>
        this.#quick.stored(
          key,
          ended.map(({ attempt }) => attempt),
        ),
      )
      .finally(() => {
        if (this.#open.get(key)?.ended === ended) this.#open.delete(key);
      });
  }
}
