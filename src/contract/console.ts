/** What the console answers its page below `/console`. Times are ISO 8601; what is null is not known, unless it says more. */
import type { EndpointName } from './endpoints.ts';
import type { Group } from './limits.ts';

/** Which service is shown, and what the page may do (`GET /console/about`). */
export interface ConsoleAbout {
  readonly version: string;
  /** Empty where the environment chose the service. */
  readonly profile: string;
  /** Empty for the service of the profile `local`. */
  readonly baseUrl: string;
  /** True for a service in the console's process, which counts nothing against the limits. */
  readonly local: boolean;
  /** True if the page may change things. */
  readonly write: boolean;
  readonly workspace: {
    readonly id: string;
    /** Whether its notifications reach people; null where the service does not say. */
    readonly mode: 'live' | 'test' | null;
    /** Null where it has none, and where the service does not say. */
    readonly region: string | null;
  };
  /** Where the data is; null for a service that is reached over the network. */
  readonly store: {
    readonly engine: 'sqlite' | 'postgres';
    readonly bytes: number;
  } | null;
  /** The operations that may be called through `/api`. */
  readonly operations: readonly EndpointName[];
  /** Words before each command: `svc`. */
  readonly commandPrefix: string;
  /** Words after each command, such as `--profile staging`; they choose the same service. */
  readonly commandSuffix: string;
  /** How many rules of `svc serve --faults` are on in the process of the console. */
  readonly faultsOn: number;
  /** True if the console can show imports and injected faults of this machine. */
  readonly machine: boolean;
}

/** The use of each rate limit (`GET /console/limits`). */
export interface ConsoleLimits {
  /** Length of the window, in ms. */
  readonly windowMs: number | null;
  /** True if the numbers come from the limiter, false if from the headers of the last answers. */
  readonly exact: boolean;
  readonly groups: readonly ConsoleLimit[];
  /** Whose requests to the process of the console were over a limit in the last 24 hours; null where it is not known. */
  readonly turnedAway: {
    /** Since when they are counted: the start of the process, or 24 hours ago. */
    readonly since: string;
    /** By key and endpoint, the most first. */
    readonly rows: readonly ConsoleTurnedAway[];
  } | null;
}

export interface ConsoleTurnedAway {
  readonly keyId: string;
  /** What the key is for; null if nobody said so, or if it is gone. */
  readonly name: string | null;
  /** True for a publishable key, which has limits of its own. */
  readonly publishable: boolean;
  readonly endpoint: string;
  readonly count: number;
  readonly firstAt: string;
  readonly lastAt: string;
}

/**
 * Why requests to the process of the console were answered with 4xx in the last 24 hours, without those of the console
 * (`GET /console/refused`).
 */
export interface ConsoleRefused {
  /** Since when they are counted: the start of the process, or 24 hours ago; null where it is not known. */
  readonly since: string | null;
  /** By endpoint and reason, the most first, at most 50. */
  readonly rows: readonly {
    readonly endpoint: string;
    readonly status: number;
    /** Name of the error, such as `not_found`. */
    readonly error: string;
    /** What was wrong, as the sender was answered, without what looks personal. */
    readonly reason: string;
    readonly count: number;
    readonly firstAt: string;
    readonly lastAt: string;
  }[];
}

export interface ConsoleLimit {
  readonly group: Group;
  /** The endpoints of the group, in words. */
  readonly covers: string;
  /** Requests per window. Null where there is no limit, or where none was seen yet: then `seenAt` is null and `exact` false. */
  readonly limit: number | null;
  readonly used: number | null;
  readonly remaining: number | null;
  /** When the oldest request leaves the window; null too if none is counted. */
  readonly nextFreeAt: string | null;
  /** When an answer last stated the limit; null if `exact`, or if none did. */
  readonly seenAt: string | null;
  /** Requests in each part of the window, the oldest first. */
  readonly buckets: readonly number[] | null;
  /**
   * Requests to the process of the console in each minute of the last hour, the oldest first, with those that were turned
   * away; null where it is not known.
   */
  readonly byMinute: readonly number[] | null;
}

/**
 * The imports whose journals this machine keeps (`GET /console/imports`), as `svc imports list --json` has them, with how
 * many records are in the file of those that were refused (null where there is no such file), and the words after `svc` that
 * go on with one that is unfinished.
 */
export interface ConsoleImports {
  readonly imports: readonly (StoredImport & {
    readonly rejected: RejectedCount | null;
    readonly resume: readonly string[] | null;
  })[];
}

export interface RejectedCount {
  readonly count: number;
  /** True if there are more: only the beginning of the file was read. */
  readonly more: boolean;
}

/** An import whose journal this machine keeps. What is null is not known: another process has the journal open. */
export interface StoredImport {
  /** The name of the journal, without its suffix. */
  readonly id: string;
  /** `unusable` for a damaged journal; `unreadable` for one that cannot be read now, as on a full disk. */
  readonly state: 'running' | 'unfinished' | 'finished' | 'unusable' | 'unreadable';
  readonly kind: string | null;
  readonly inputs: readonly string[] | null;
  readonly baseUrl: string | null;
  readonly workspace: string | null;
  /** Records that the service has acknowledged. */
  readonly acknowledged: number | null;
  /** Records that were sent without an answer. */
  readonly inDoubt: number | null;
  /** Records that are left: 0 of a finished import, otherwise known only after the input was read. */
  readonly left: number | null;
  /** When a batch was last sent, ISO 8601; null if none was. */
  readonly lastAt: string | null;
  /** The file with the records that were refused; null if none was. */
  readonly rejectsFile: string | null;
  /** Its runs that can be taken back, the latest first. */
  readonly runs: readonly StoredRun[] | null;
}

/** A run of an import: what one command sent. */
export interface StoredRun {
  readonly runId: string;
  /** When it began, ISO 8601. */
  readonly at: string;
  /** Records that the service has acknowledged. */
  readonly accepted: number;
  /** They were taken back. */
  readonly undone: boolean;
}

/** Which records of an import were refused, and why (`GET /console/imports/ID`). */
export interface ConsoleRejects {
  readonly reasons: readonly {
    readonly field: string;
    readonly reason: string;
    readonly count: number;
    /** Where the first of them are: the name of the input, and the line. */
    readonly places: readonly { readonly file: string; readonly line: number }[];
    /** The first of them as JSON, without what looks personal, and cut where it is long; null if it is not an object. */
    readonly example: string | null;
  }[];
  /** True if only the beginning of the file was read, or not all reasons are listed. */
  readonly partly: boolean;
  /** The words after `svc` that import the file once it is corrected; null if they are not known. */
  readonly again: readonly string[] | null;
}

/**
 * The faults that the process of the console injects (`GET /console/faults`). `PUT` switches a rule, adds or changes one, or
 * removes one, and answers the same.
 */
export interface ConsoleFaults {
  /** False where the service runs without `--faults`, or elsewhere. */
  readonly active: boolean;
  readonly rules: readonly {
    readonly place: 'requests' | 'deliveries';
    /** Its number in its place, from 0, which it keeps. */
    readonly index: number;
    /** The rule as the file has it: which fault, of what, when. */
    readonly rule: {
      readonly fault: string;
      readonly endpoint?: string | undefined;
      readonly type?: string | undefined;
      readonly delayMs?: number | undefined;
    };
    /** Requests or deliveries that it matched. */
    readonly seen: number;
    /** How often it was injected. */
    readonly hits: number;
    readonly on: boolean;
    /** When it was switched, added or changed through the console; null if the service started with it so. */
    readonly changedAt: string | null;
  }[];
  /** How many faults were injected, also by rules that were removed. */
  readonly injected: number;
  /** The latest injections, up to 50 of each fault, the newest first. */
  readonly latest: readonly {
    readonly at: string;
    readonly place: 'requests' | 'deliveries';
    readonly fault: string;
    /** The operation that was asked for, or the kind of outcome that was delivered. */
    readonly of: string;
    readonly deliveryId?: string;
    /** How late it was, of a fault that waits. */
    readonly delayMs?: number;
  }[];
}

/** How the service is (`GET /console/service`). */
export interface ConsoleService {
  readonly reached: boolean;
  /** Null where the service does not say. */
  readonly ready: boolean | null;
  readonly version: string | null;
  /** Due work of all nodes, and what waits in the workspace for a retry or a time (`later`). */
  readonly backlog:
    | readonly {
        readonly kind: string;
        readonly due: number;
        readonly oldestMs: number;
        readonly later: number;
      }[]
    | null;
  /** The processes that serve from the store, that of the console first. */
  readonly nodes:
    | readonly {
        readonly id: string;
        /** Name of its machine or container. */
        readonly host: string;
        readonly pid: number;
        readonly version: string | null;
        /** What it alone does for all nodes; empty where every process may. */
        readonly roles: readonly string[];
        readonly startedAt: string;
        readonly seenAt: string;
        /** True if it has not said for a minute that it is there. */
        readonly silent: boolean;
        /** True for the process of the console. */
        readonly self: boolean;
      }[]
    | null;
  /** What is stored; null where it is not known. */
  readonly data:
    | readonly {
        /** What it is, or the name of a table; `other` for all others, and `free` for pages that wait for new rows. */
        readonly kind: string;
        /** The rows of the workspace, counted up to a bound; null where they are not counted. */
        readonly rows: number | null;
        /** True if there are more. */
        readonly more: boolean;
        /** What the table takes with its indexes, of all workspaces; null where it is not known. */
        readonly bytes: number | null;
      }[]
    | null;
  /** What came to each endpoint of the process of the console in the last hour, without what the console asks; null where it is not known. */
  readonly requests:
    | readonly {
        readonly endpoint: string;
        readonly requests: number;
        /** Of these, those that were over a limit (429), that were answered with another 4xx, and with 5xx. */
        readonly turnedAway: number;
        readonly refused: number;
        readonly failed: number;
        /** Of those with 429 and 5xx, the ones that an injected fault answered so. */
        readonly byFaults: number;
        /** How long the latest answers below 400 took, up to 1,000. */
        readonly latency: {
          readonly answers: number;
          readonly p50Ms: number;
          readonly p95Ms: number;
          readonly p99Ms: number;
        } | null;
        /**
         * What the slowest 5 % of these took on average: until their work at the store began, that work, and until it was
         * stored. Null where none had any.
         */
        readonly slowest: {
          readonly waitMs: number;
          readonly workMs: number;
          readonly storeMs: number;
        } | null;
      }[]
    | null;
  /** All of these by minute, the oldest first; null where it is not known. */
  readonly requestsByMinute: readonly number[] | null;
  /** The channels with a provider; the others write to the outbox. Null where the service does not say. */
  readonly channels: readonly string[] | null;
  /** True if the service runs in the process of the console. */
  readonly inside: boolean;
}
