import { createHash } from 'node:crypto';

/** What identifies a delivery. */
export interface Identity {
  readonly webhookId: string | undefined;
  readonly deliveryId: string | undefined;
  /** The signature over the bytes, which stands for the bytes. */
  readonly signature: string;
}

/**
 * Remembers the deliveries seen, the latest `capacity` of them, in memory that does not grow after that.
 * A delivery is a duplicate when its `webhook-id` or its `deliveryId` was seen, or, where it has neither, its bytes.
 */
export class Deduplicator {
  readonly #keys = new Set<string>();
  readonly #capacity: number;

  /** @param capacity how many identities are kept (a delivery has up to three) */
  constructor(capacity = 100_000) {
    this.#capacity = capacity;
  }

  /** True when the delivery was seen before. Remembers it. */
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
