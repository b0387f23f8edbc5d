/** What a plugin of svc imports from `svc-cli/plugin`; docs/plugins.md explains it. */
import type { Interfaces } from '@oclif/core';

export { Args, Flags } from '@oclif/core';

/** The operations of the service, as openapi.json names them. */
export type Operation =
  | 'cancelNotification'
  | 'createUserToken'
  | 'createWebhook'
  | 'decide'
  | 'deleteEvents'
  | 'deleteUser'
  | 'deleteUsers'
  | 'deleteWebhook'
  | 'exportRecords'
  | 'getCatalog'
  | 'getCatalogVersion'
  | 'getClock'
  | 'getContent'
  | 'getDecision'
  | 'getDecisionTrend'
  | 'getDelivery'
  | 'getDeliveryTrend'
  | 'getEventDeletion'
  | 'getEventPlan'
  | 'getEventTrend'
  | 'getModel'
  | 'getNotification'
  | 'getOverview'
  | 'getUser'
  | 'getUserDeletion'
  | 'getUserTimeline'
  | 'getWebhook'
  | 'ingestEvents'
  | 'ingestUsers'
  | 'listAllDeliveries'
  | 'listCatalogVersions'
  | 'listContents'
  | 'listDecisions'
  | 'listDeliveries'
  | 'listLatestMessages'
  | 'listMessages'
  | 'listNotifications'
  | 'listUsers'
  | 'listWebhooks'
  | 'messageOutcome'
  | 'notificationOutcome'
  | 'peekMessages'
  | 'putCatalog'
  | 'redeliver'
  | 'redeliverMany'
  | 'revertCatalog'
  | 'rewardDecision'
  | 'rotateWebhook'
  | 'setClock'
  | 'setConsent'
  | 'stopRedelivery'
  | 'trigger'
  | 'updateWebhook'
  | 'validateCatalog';

export interface CallOptions {
  /** Parts of the path, such as `{ id }`. */
  readonly params?: Record<string, string>;
  readonly query?: Record<string, string | undefined>;
  readonly body?: unknown;
  /** Made for every request that is not a GET, unless given. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal | undefined;
}

/** A response with a 2xx status; `T` is its JSON body, as openapi.json describes it. */
export interface Answer<T> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: T;
  readonly text: string;
}

/** The client of svc: authenticated, paced to the rate limits, with retries and the timeout of the flags. */
export interface Client {
  /** Calls an operation. Rejects unless the status is 2xx; svc reports that error with a next step. */
  call<T = unknown>(operation: Operation, options?: CallOptions): Promise<Answer<T>>;
}

/** A client with the settings that flags, environment and profile resolve to. */
export interface Connection {
  readonly client: Client;
  readonly baseUrl: string;
  readonly workspace: string;
  readonly region: string | undefined;
  /** `local`, a profile's name, or undefined where the environment sufficed. */
  readonly profile: string | undefined;
  readonly isLocal: boolean;
}

/** Results go to stdout, everything else to stderr; text is sanitized and cut to the terminal. */
export interface Output {
  readonly json: boolean;
  readonly quiet: boolean;
  /** Writes the result: `value` under --json, otherwise the text of `show`. */
  result(value: unknown, show: () => string): void;
  /** Writes one result of a stream, a line of NDJSON under --json. */
  line(value: unknown, show: () => string): void;
  /** Writes a notice on stderr, except under --quiet. */
  notice(text: string): void;
  /** Writes a warning on stderr. */
  warn(text: string): void;
}

/** The flags of every command. */
export interface GlobalFlags {
  readonly profile?: string | undefined;
  readonly 'base-url'?: string | undefined;
  readonly workspace?: string | undefined;
  readonly region?: string | undefined;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly 'no-input': boolean;
  readonly timeout: number;
  readonly 'max-retries': number;
  readonly 'show-limits': boolean;
  readonly debug: boolean;
}

interface CommandStatics {
  flags: Interfaces.FlagInput;
  args: Interfaces.ArgInput;
}

/** What a command receives. */
export interface Context<C extends CommandStatics = CommandStatics> {
  readonly flags: Interfaces.InferredFlags<C['flags']> & GlobalFlags;
  readonly args: Interfaces.InferredArgs<C['args']>;
  /** Arguments in the order typed, for commands with `static strict = false`. */
  readonly argv: string[];
  readonly out: Output;
  /** The folders of svc: profiles are in the first, data and plugins in the second. */
  readonly paths: { readonly configDir: string; readonly dataDir: string };
  /** The version of svc. */
  readonly version: string;
  /** Aborts at the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /** Connects to the service that flags, environment or profile select; closed when the command ends. */
  connect(): Promise<Connection>;
}

/** An exit code of svc: `svc help exit-codes`. */
export type ExitCode = 0 | 1 | 2 | 4 | 5 | 6 | 7 | 8 | 130;

/** The base of a command: parses the flags, runs the command, reports its failure and closes its connection. */
export declare abstract class SvcCommand {
  static aliases: string[];
  static args: Interfaces.ArgInput;
  static baseFlags: Interfaces.FlagInput;
  static description: string | undefined;
  static examples: string[];
  static exitCodes: readonly ExitCode[];
  static flags: Interfaces.FlagInput;
  static hidden: boolean;
  static id: string;
  static strict: boolean;
  static summary: string;
  static usage: string | undefined;
  readonly argv: string[];
  /** Does the work. Resolves with the exit code, 0 by default. */
  protected abstract run(context: Context): Promise<ExitCode> | Promise<void>;
}

/** The codes of errors: `svc help exit-codes` lists them with their exit codes. */
export type ErrorCode =
  | 'usage'
  | 'file'
  | 'not_configured'
  | 'refused'
  | 'not_found'
  | 'failed'
  | 'unavailable'
  | 'partial';

/** An error with a next step, reported as svc reports its own. */
export declare class SvcError extends Error {
  constructor(
    code: ErrorCode,
    message: string,
    options: { hint: string; requestId?: string; cause?: unknown },
  );
  readonly code: string;
  readonly exitCode: number;
}
