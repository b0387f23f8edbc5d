/** Verifies webhook deliveries: `svc-cli/webhooks` (docs/library.md). */
import type { DeliveryBody } from './delivery.mjs';

export type * from './delivery.mjs';

/** Headers of a request, in any of the forms that frameworks have. Names are not case-sensitive. */
export type HeadersLike =
  | { get(name: string): string | null | undefined }
  | { readonly [name: string]: string | readonly string[] | undefined };

/** Why a delivery is not accepted. */
export type WebhookErrorReason =
  | 'missing-signature'
  | 'wrong-signature'
  | 'wrong-timestamp'
  | 'too-old'
  | 'too-new'
  | 'replayed'
  | 'not-json';

/** Remembers signed messages, so that each is accepted once. */
export interface ReplayWindow {
  /** Remembers a message until `expiresAt` (Unix ms). Returns false if it is remembered already. */
  add(message: string, expiresAt: number): boolean | Promise<boolean>;
}

export interface VerifyOptions {
  /** How far `webhook-timestamp` may differ from the clock, in seconds. Default: 300. */
  readonly tolerance?: number | undefined;
  /** Refuses a message that was accepted before. A retry of the service is another message: it has another time. */
  readonly replays?: ReplayWindow | undefined;
  /**
   * Which signatures are accepted. `any` (default): `webhook-signature`, and `X-Service-Signature` of a delivery without
   * it. `standard`: only `webhook-signature`, since the other one covers no time and can be replayed for ever.
   */
  readonly accept?: 'any' | 'standard' | undefined;
  /** The clock, in Unix ms. Default: Date.now. */
  readonly now?: (() => number) | undefined;
}

/** A delivery is not accepted. */
export declare class WebhookError extends Error {
  constructor(reason: WebhookErrorReason, message: string);
  readonly reason: WebhookErrorReason;
  /** The status to answer with: 401, or 400 for an authentic body that is not JSON. */
  readonly status: number;
}

/**
 * Verifies a delivery and returns its body. Rejects with WebhookError if it is not authentic, and with TypeError if it is
 * called wrongly.
 * @param rawBody the bytes of the body as they arrived, before anything has parsed them
 * @param secret the signing secret as text; during a rotation both
 */
export declare function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: HeadersLike,
  secret: string | readonly string[],
  options?: VerifyOptions,
): Promise<DeliveryBody>;

/** Remembers messages in this process: the latest `most` (default: 100,000), each until it expires. */
export declare function memoryReplayWindow(options?: {
  readonly most?: number | undefined;
  readonly now?: (() => number) | undefined;
}): ReplayWindow;
