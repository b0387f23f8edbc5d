import { createHash } from 'node:crypto';

/** The values that identify a delivery. */
export interface Identity {
  readonly webhookId: string | undefined;
  readonly deliveryId: string | undefined;
  /** Signature of the body; equal for equal bytes. */
  readonly signature: string;
}

/**
 * Detects repeated deliveries, with memory bounded by `capacity`; the oldest identifiers are evicted first.
 * A delivery is a duplicate when its `webhook-id` or its `deliveryId` was seen, or its bytes where it has neither.
 */
export class Deduplicator {
  readonly #keys = new Set<string>();
  readonly #capacity: number;

  /** @param capacity number of identifiers remembered (a delivery has up to three) */
  constructor(capacity = 100_000) {
    this.#capacity = capacity;
  }

  /** Records a delivery. Returns true when it was seen before. */
  check({ webhookId, deliveryId, signature }: Identity): boolean {
    const named = [
      ...(webhookId ? [`w${bounded(webhookId)}`] : []),
      ...(deliveryId ? [`d${bounded(deliveryId)}`] : []),
    ];
    const bytes = `b${signature}`;
    const known = (named.length > 0 ? named : [bytes]).some((key) => this.#keys.has(key));
    for (const key of [...named, bytes]) this.#remember(key);
    return known;
  }

  #remember(key: string): void {
    this.#keys.delete(key);
    this.#keys.add(key);
    if (this.#keys.size > this.#capacity) this.#keys.delete(this.#keys.values().next().value as string);
  }
}

function bounded(id: string): string {
  return id.length <= 64 ? id : createHash('sha256').update(id).digest('base64');
}
