/** What a channel sends. Personal fields are in the clear here and nowhere else; `shown` is what may be written down. */
export interface ChannelMessage {
  readonly notificationId: string;
  readonly hashId: string;
  readonly templateId: string;
  readonly channel: string;
  readonly priority: string;
  readonly to: Address;
  readonly subject: string | undefined;
  readonly text: string;
  /** The same with personal fields masked. */
  readonly shown: { readonly to: Address; readonly subject: string | undefined; readonly text: string };
  /** How often this was handed over before, also by a worker that vanished. */
  readonly earlierTries: number;
}

/** Where a user can be reached. */
export interface Address {
  readonly phone?: string;
  readonly email?: string;
}

/**
 * `taken`: the channel has it. `later`: it surely has not, and may take it later. `refused`: it never will.
 * `unknown`: nobody can tell whether it has, because the answer was lost.
 */
export type HandOver =
  | { readonly outcome: 'taken' }
  | { readonly outcome: 'later' | 'refused' | 'unknown'; readonly error: string };

/** One way out for notifications. */
export interface ChannelAdapter {
  readonly name: string;
  /** True where a second hand-over of one notification reaches the user once; only then is one ever repeated. */
  readonly dropsRepeats: boolean;
  /** Never throws for what the far side does. */
  send(message: ChannelMessage, signal: AbortSignal): Promise<HandOver>;
  close(): Promise<void>;
}
