/** A subscription with the lifetime of the listener: created with a lease, renewed, and removed at the end. */
import { isUnsupported } from '../../cli/errors/unsupported-operation.ts';
import type { Client } from '../../client/client.ts';
import type { ApiError } from '../../client/errors.ts';
import type { EventKind } from '../../contract/event-kind-names.ts';
import type { Clock } from '../../kit/clock.ts';

export interface SubscriptionOptions {
  readonly client: Client;
  /** The address that the service calls. */
  readonly url: string;
  readonly events: readonly string[];
  readonly secret: string;
  readonly leaseSeconds: number;
  /** Since when outcomes are delivered first, a time in UTC; undefined for new ones only. */
  readonly since?: string | undefined;
  readonly clock: Clock;
  /** Ends the wait between retries. A request in flight is completed. */
  readonly signal: AbortSignal;
  /** Called with warnings that may require an action of the user. */
  readonly warn: (text: string) => void;
  /** Returns the command that removes a subscription, for a shell. */
  readonly removal: (id: string) => string;
}

/** Statuses of a service that does not support an operation or field (docs/design-choices.md). */
const INVALID_REQUEST = new Set([400, 422]);
/** Renewals within the duration of a lease, so that a single failure does not end it. */
const RENEWALS_PER_LEASE = 3;

export class LeasedSubscription {
  /** Identifier; undefined where the service returned none, in which case it cannot be removed from here. */
  id: string | undefined;
  /** The answer of the service to the first subscription. */
  created: unknown;
  readonly #options: SubscriptionOptions;
  readonly #stopped = new AbortController();
  #renewing: Promise<void> = Promise.resolve();
  #leased = false;

  private constructor(options: SubscriptionOptions) {
    this.#options = options;
  }

  /**
   * Creates the subscription. Rejects with ApiError or TransportError. Where the service does not support leases,
   * creates it without one and warns: such a subscription outlives a killed listener.
   */
  static async create(options: SubscriptionOptions): Promise<LeasedSubscription> {
    const registration = new LeasedSubscription(options);
    await registration.#subscribe();
    if (registration.#leased) registration.#renewing = registration.#renew();
    else {
      const how =
        registration.id === undefined
          ? 'in the console of the service'
          : `with \`${options.removal(registration.id)}\``;
      options.warn(
        `the service does not support leases: if this listener is killed, remove the subscription ${how}`,
      );
    }
    return registration;
  }

  /** Removes the subscription. Never rejects: warns where the service cannot remove it. */
  async remove(): Promise<void> {
    this.#stopped.abort();
    await this.#renewing;
    const { client, url, warn } = this.#options;
    if (this.id === undefined) {
      warn(
        `the service returned no identifier for the subscription to ${url}: remove it in the console of the service`,
      );
      return;
    }
    try {
      await client.call('deleteWebhook', { params: { id: this.id } });
    } catch (error) {
      const { status } = error as Partial<ApiError>;
      const why = status === undefined ? (error as Error).message : `HTTP ${status}`;
      const rest = this.#leased
        ? `it expires within ${this.#options.leaseSeconds} s`
        : isUnsupported(error)
          ? 'the service does not support removal: remove it in the console of the service'
          : `remove it with \`${this.#options.removal(this.id)}\``;
      warn(`the subscription ${this.id} to ${url} was not removed (${why}); ${rest}`);
    }
  }

  async #subscribe(): Promise<void> {
    const { client, url, events, secret, leaseSeconds, since, signal: waiting } = this.#options;
    const earlier = since !== undefined && this.created === undefined && { from: since };
    const body = { url, events: events as EventKind[], signingSecret: secret, ...earlier };
    const answer = await client
      .call('createWebhook', { body: { ...body, leaseSeconds }, waiting })
      .catch((error: ApiError) => {
        if (!refusesLease(error)) throw error;
        return client.call('createWebhook', { body, waiting });
      });
    this.created ??= answer.body;
    const created = answer.body as { id?: unknown; leaseUntil?: unknown } | undefined;
    this.id = typeof created?.id === 'string' ? created.id : undefined;
    this.#leased = this.id !== undefined && typeof created?.leaseUntil === 'string';
  }

  async #renew(): Promise<void> {
    const { client, leaseSeconds, clock, warn } = this.#options;
    const { signal } = this.#stopped;
    let failing = false;
    for (;;) {
      try {
        await clock.sleep((leaseSeconds * 1000) / RENEWALS_PER_LEASE, signal);
      } catch {
        return; // stopped
      }
      try {
        await client.call('updateWebhook', { params: { id: this.id! }, body: { leaseSeconds }, signal });
        failing = false;
      } catch (error) {
        if (signal.aborted) return;
        if ((error as Partial<ApiError>).status === 404 && (await this.#resubscribe())) continue;
        if (!failing) warn(`the subscription could not be renewed (${(error as Error).message}); retrying`);
        failing = true;
      }
    }
  }

  /** Subscribes again after the lease expired (the machine was asleep) or the subscription was removed. */
  async #resubscribe(): Promise<boolean> {
    try {
      await this.#subscribe();
      return true;
    } catch {
      return false; // retried at the next renewal
    }
  }
}

/** True where a strict service rejects `leaseSeconds`: it names the field, or gives no details. */
function refusesLease(error: Partial<ApiError>): boolean {
  if (error.status === undefined || !INVALID_REQUEST.has(error.status)) return false;
  const fields = error.details?.map(({ field }) => field) ?? [];
  return fields.length === 0 || fields.includes('leaseSeconds');
}
