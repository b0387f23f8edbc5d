import { Claims } from '../../platform/workers/jobs.ts';

/** A delivery claimed by a worker. Secrets are encrypted; times are unix ms. */
export interface ClaimedDelivery {
  readonly workspaceId: string;
  readonly deliveryId: string;
  readonly webhookId: string;
  readonly url: string;
  readonly body: string;
  readonly secret: Uint8Array;
  /** Static headers, encrypted; null for none. */
  readonly headers: Uint8Array | null;
  /** Null unless the secret is being rotated. */
  readonly previousSecret: Uint8Array | null;
  readonly claim: number;
  /** The versions of the secrets: the current one, then the previous one while it signs too. */
  readonly signedBy: readonly number[];
  /** The traceparent of the request that caused it, or null. */
  readonly trace: string | null;
}

/** The claims of the deliverer. */
export const deliveryClaims = new Claims<ClaimedDelivery>(
  'delivery',
  'deliveries',
  ({ deliveryId }) => deliveryId,
);
