/** A message for a channel. Personal fields are in plain text here only; store and log `masked` instead. */
export interface ChannelMessage {
  readonly notificationId: string;
  readonly hashId: string;
  readonly templateId: string;
  readonly channel: string;
  readonly priority: string;
  readonly to: Address;
  readonly subject: string | undefined;
  readonly text: string;
  /** The same fields with personal data masked. */
  readonly masked: { readonly to: Address; readonly subject: string | undefined; readonly text: string };
  /** Number of previous attempts to send it, including those of workers that stopped. */
  readonly earlierTries: number;
}

/** Where a user can be reached. */
export interface Address {
  readonly phone?: string;
  readonly email?: string;
}

/**
 * The outcome of sending a message. `taken`: accepted. `later`: not accepted, retry. `refused`: not accepted, do not
 * retry. `unknown`: ambiguous outcome, because the answer was lost.
 */
export type SendResult =
  | { readonly outcome: 'taken' }
  | { readonly outcome: 'later' | 'refused' | 'unknown'; readonly error: string };

/** Sends the notifications of a channel. */
export interface ChannelAdapter {
  readonly name: string;
  /** True if the user receives a notification once although it is sent twice; only then is an ambiguous one retried. */
  readonly dropsRepeats: boolean;
  /** Reports every failure of the server as a result; does not throw. */
  send(message: ChannelMessage, signal: AbortSignal): Promise<SendResult>;
  close(): Promise<void>;
}
