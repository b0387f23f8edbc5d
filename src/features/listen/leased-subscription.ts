/** A subscription that lives as long as the listener: created with a lease, renewed, removed at the end. */
import type { Client } from '../../client/client.ts';
import type { ApiError } from '../../client/errors.ts';
import type { EventKind } from '../../contract/schemas.ts';
import type { Clock } from '../../kit/clock.ts';
import { shell } from '../../kit/shell.ts';

export interface SubscriptionOptions {
  readonly client: Client;
  /** The address the service shall call. */
  readonly url: string;
  readonly events: readonly string[];
  readonly secret: string;
  readonly leaseSeconds: number;
  readonly clock: Clock;
  /** Ends the wait for a service that is to be asked again; what is on its way arrives. */
  readonly signal: AbortSignal;
  /** Told what the user may have to act on. */
  readonly warn: (text: string) => void;
}

/** Statuses by which a service says that it has no such operation or field (docs/decisions.md). */
const UNSUPPORTED = new Set([404, 405, 501]);
const INVALID_REQUEST = new Set([400, 422]);
/** A lease is renewed this many times before it would end, so that one failure is no loss. */
const RENEWALS_PER_LEASE = 3;

export class LeasedSubscription {
  /** Undefined where the service's answer named none: it cannot be removed from here then. */
  id: string | undefined;
  readonly #options: SubscriptionOptions;
  readonly #stopped = new AbortController();
  #renewing: Promise<void> = Promise.resolve();
  #leased = false;

  private constructor(options: SubscriptionOptions) {
    this.#options = options;
  }

  /**
   * Subscribes. Rejects with ApiError or TransportError. A service that does not know leases is asked again without
   * one, with a warning: such a subscription outlives a killed listener.
   */
  static async create(options: SubscriptionOptions): Promise<LeasedSubscription> {
    const registration = new LeasedSubscription(options);
    await registration.#subscribe();
    if (registration.#leased) registration.#renewing = registration.#renew();
    else {
      const way =
        registration.id === undefined
          ? 'in its console'
          : shell`with \`svc webhooks delete ${registration.id}\``;
      options.warn(`the service grants no lease: if this listener is killed, remove the subscription ${way}`);
    }
    return registration;
  }

  /** Ends the subscription. Never rejects: where the service cannot remove it, that is said. */
  async remove(): Promise<void> {
    this.#stopped.abort();
    await this.#renewing;
    const { client, url, warn } = this.#options;
    if (this.id === undefined) {
      warn(`the service named no id for the subscription to ${url}: remove it in its console`);
      return;
    }
    try {
      await client.call('deleteWebhook', { params: { id: this.id } });
    } catch (error) {
      const { status } = error as Partial<ApiError>;
      const why = status === undefined ? (error as Error).message : `HTTP ${status}`;
      const rest = this.#leased
        ? `it ends by itself within ${this.#options.leaseSeconds} s`
        : status !== undefined && UNSUPPORTED.has(status)
          ? 'the service cannot remove it: do so in its console'
          : shell`remove it with \`svc webhooks delete ${this.id}\``;
      warn(`the subscription ${this.id} to ${url} was not removed (${why}); ${rest}`);
    }
  }

  async #subscribe(): Promise<void> {
    const { client, url, events, secret, leaseSeconds, signal: waiting } = this.#options;
    const body = { url, events: events as EventKind[], signingSecret: secret };
    const answer = await client
      .call('createWebhook', { body: { ...body, leaseSeconds }, waiting })
      .catch((error: ApiError) => {
        if (!refusesLease(error)) throw error;
        return client.call('createWebhook', { body, waiting });
      });
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
        if ((error as Partial<ApiError>).status === 404 && (await this.#again())) continue;
        if (!failing) warn(`the subscription could not be renewed (${(error as Error).message}); trying on`);
        failing = true;
      }
    }
  }

  /** Subscribes anew: the machine slept through its lease, or someone removed the subscription. */
  async #again(): Promise<boolean> {
    try {
      await this.#subscribe();
      return true;
    } catch {
      return false; // tried again at the next renewal
    }
  }
}

/** A strict service that does not know `leaseSeconds` names it, or says nothing in detail. */
function refusesLease(error: Partial<ApiError>): boolean {
  if (error.status === undefined || !INVALID_REQUEST.has(error.status)) return false;
  const fields = error.details?.map(({ field }) => field) ?? [];
  return fields.length === 0 || fields.includes('leaseSeconds');
}
