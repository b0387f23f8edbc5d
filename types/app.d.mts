/** Tracks events and shows messages in a web page: `svc-cli/app` (docs/users/app-sdk.md). */

/** Properties of an event. */
export type Properties = Readonly<Record<string, string | number | boolean>>;

/** A message as the service decided it. */
export interface Message {
  readonly decisionId: string;
  readonly contentId: string;
  readonly channel: string | null;
  readonly surface: string | null;
  readonly format: 'card' | 'modal' | 'embedded' | 'full-screen';
  readonly title: string;
  readonly body: string;
}

/** What the button of a message says, and where it leads. */
export interface MessageAction {
  /** Default: `labels.action`. */
  readonly label?: string | undefined;
  /** A path of this page's origin, or https of one of `allowedOrigins`; anything else leads nowhere. */
  readonly url?: string | undefined;
}

export interface AppOptions {
  /** Address of the service. */
  readonly baseUrl: string;
  readonly workspace: string;
  /** A publishable key (`pk_…`). */
  readonly key: string;
  /**
   * Resolves with a token of the user who is signed in, from your server; with null where nobody is. Called again before
   * the token ends.
   */
  readonly user: () => Promise<string | null | undefined>;
  /** The user in your own terms, needed to track, where the token does not say it. */
  readonly userId?: string | undefined;
  /** How long events wait for others, 5 to 30 seconds. Default: 10. */
  readonly flushSeconds?: number | undefined;
  /** What the button of a message says and where it leads. */
  readonly action?: ((message: Message) => MessageAction | undefined) | undefined;
  /** Origins to which the button of a message may lead. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /**
   * Called after the button was pressed. Unless it returns false or rejects, the outcome `actioned` is reported; without
   * it, where the button led somewhere.
   */
  readonly onAction?: ((message: Message) => unknown) | undefined;
  /** Texts of the buttons, in the language of the page. Default: `Open` and `Close`. */
  readonly labels?: { readonly action?: string | undefined; readonly close?: string | undefined } | undefined;
}

export interface App {
  /** Begins: nothing is stored or sent before. */
  start(): void;
  /**
   * Ends: nothing is sent any more, and messages are taken off the page. `forget` removes what waits, too. Resolves once it is
   * removed: wait for that before the page is left.
   */
  stop(options?: { readonly forget?: boolean | undefined }): Promise<void>;
  /**
   * Records an event of the user. Resolves with its id once it is kept on this device, from where it is stored exactly once.
   * Rejects where the app is not started or nobody is signed in, and with RangeError for an event that is too large.
   */
  track(name: string, properties?: Properties): Promise<string>;
  /** Sends what waits now. */
  flush(): Promise<void>;
  /** Shows the first message of a surface over the page; undefined if there is none. */
  show(options: { readonly surface: string }): Promise<Message | undefined>;
  /** How many events were given up: too many, too old, or refused by the service. */
  readonly dropped: number;
  /** How many events and outcomes wait. */
  readonly waiting: number;
}

/** Creates an app. Throws TypeError if an option is missing. */
export declare function createApp(options: AppOptions): App;
