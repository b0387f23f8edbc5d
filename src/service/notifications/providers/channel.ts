/** A message for a channel. Personal fields are in plain text here only; store and log `masked` instead. */
export interface ChannelMessage {
  readonly workspaceId: string;
  readonly notificationId: string;
  readonly hashId: string;
  readonly templateId: string;
  readonly channel: string;
  readonly priority: string;
  readonly to: Address;
  /** The address of this channel to which it is sent. */
  readonly address: string;
  /** The same for every attempt to send the notification to this address. */
  readonly idempotencyKey: string;
  readonly subject: string | undefined;
  readonly text: string;
  readonly html?: string | undefined;
  /** Unsubscribes the user with one click (RFC 8058); undefined if it is not marketing by e-mail. */
  readonly unsubscribeUrl?: string | undefined;
  readonly push?: PushParts;
  /** The template that Meta approved; undefined if the template has none. */
  readonly whatsapp?: WhatsAppParts | undefined;
  /** The same fields with personal data masked. */
  readonly masked: { readonly to: Address; readonly subject: string | undefined; readonly text: string };
  /** Number of previous attempts to send it, including those of workers that stopped. */
  readonly earlierTries: number;
  /** The traceparent of the request that triggered it, or null. */
  readonly trace: string | null;
}

export interface PushParts {
  readonly title?: string | undefined;
  readonly body: string;
  readonly data?: Readonly<Record<string, string>> | undefined;
}

export interface WhatsAppParts {
  readonly name: string;
  readonly language: string;
  /** The values of its parameters, in order. */
  readonly parameters: readonly string[];
}

/** Where a user can be reached. */
export interface Address {
  readonly phone?: string;
  readonly email?: string;
  /** Registration token of the device. */
  readonly token?: string;
}

/**
 * The outcome of sending a message. `accepted`. `retryable`: not accepted, retry. `rejected`: not accepted, do not
 * retry. `ambiguous`: the answer was lost.
 */
export type SendResult =
  | { readonly outcome: 'accepted'; readonly messageId?: string | undefined }
  | {
      readonly outcome: 'retryable';
      readonly error: string;
      /** How long the provider asks to wait, in ms. */
      readonly retryAfterMs?: number | undefined;
      /** Too many requests: every message has to wait, and the attempt does not count. */
      readonly throttled?: boolean;
    }
  | {
      readonly outcome: 'rejected';
      readonly error: string;
      /** What is known of the address from now on. */
      readonly address?:
        | { readonly is: 'dead' | 'stopped'; readonly category?: string | undefined }
        | undefined;
    }
  | { readonly outcome: 'ambiguous'; readonly error: string };

/** Sends the notifications of a channel. */
export interface ChannelAdapter {
  readonly name: string;
  /** True if the user receives a notification once although it is sent twice; only then is an ambiguous one retried. */
  readonly deduplicates: boolean;
  /** The name of the provider that sends receipts; undefined if accepted is all that is ever known. */
  readonly receiptsFrom?: string | undefined;
  /** True if it writes messages to the outbox and calls no provider. */
  readonly isOutbox?: boolean;
  /** True if one message is for all devices of a user. */
  readonly oncePerUser?: boolean;
  /** Reports every failure of the server as a result; does not throw. */
  send(message: ChannelMessage, signal: AbortSignal): Promise<SendResult>;
  close(): Promise<void>;
}
