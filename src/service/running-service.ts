import type { Group } from '../contract/limits.ts';
import type { IdentifiedUser, UserIdentifier } from './admin/user-records.ts';
import type { FaultControl } from './faults/inject.ts';
import type { TurnedAway } from './http/access/turned-away.ts';
import type { EndpointCounts } from './http/endpoint-requests.ts';
import type { RefusedRequests } from './http/refused-requests.ts';
import type { Fetch } from './http/server.ts';
import type { Platform } from './platform/platform.ts';
import type { Policy } from './platform/settings.ts';
import type { Retention } from './platform/store/retained-logs.ts';
import type { Readiness } from './telemetry/health.ts';
import type { MetricValues } from './telemetry/metrics.ts';
import type { ServiceDescription, ServiceStatus } from './telemetry/status.ts';
import type { StoredData } from './telemetry/stored-data.ts';
import type { readUsage } from './telemetry/usage.ts';

/** A service that accepts connections (start.ts). */
export interface RunningService {
  readonly url: string;
  readonly workspace: string;
  readonly apiKey: string | null;
  /** Identifier of `apiKey`; null where there is none. */
  readonly keyId: string | null;
  /** How `workspace` sent notifications when the service started: `test` calls no provider. */
  readonly mode: 'live' | 'test';
  /** The store has a clock that tests can move. */
  readonly testClock: boolean;
  /** Reads how `workspace` is now, and where its data is. */
  describe(): Promise<ServiceDescription>;
  /** The channels with a provider; the others of a live workspace write to the outbox. */
  readonly withProvider: readonly string[];
  /** URL of the metrics; undefined without `metricsPort`. */
  readonly metricsUrl: string | undefined;
  readonly platform: Platform;
  /** The settings in force, which all processes on the store share. */
  policy(): Policy;
  /** How long the logs are kept now. */
  retention(): Retention;
  /** Whether it should receive requests, as /readyz says it. */
  ready(): Promise<Readiness>;
  /** Reads the certificate again; with one that cannot be used, the old one stays, which is logged. */
  reloadTls(): void;
  /** The values of all metrics, to be added to those of other processes; undefined if none are collected. */
  metricValues(): Promise<MetricValues | undefined>;
  /** Those that only increase, also after the service was closed; undefined if none are collected. */
  metricCounts(): Promise<MetricValues | undefined>;
  /**
   * Answers a request of this process in `workspace`, without a key and without counting it against the limits. No
   * listener leads here, so it cannot be used over the network.
   */
  readonly answer: Fetch;
  /** Resolves with the hashId of a user of `workspace`, and whether the user is known. */
  identify(user: UserIdentifier): Promise<IdentifiedUser>;
  /** Reads how much of each limit `workspace` uses. */
  usage(): ReturnType<typeof readUsage>;
  /** What is stored of `workspace`: its rows up to a bound, and the sizes of tables. */
  storedData(): Promise<StoredData[]>;
  /** Reads what an operator asks of this process and of the due work of all nodes. */
  status(): Promise<ServiceStatus>;
  /** What came to each endpoint of this process in the last hour. */
  requests(): readonly EndpointCounts[];
  /** The same by minute, of all endpoints, the oldest first. */
  requestsByMinute(): readonly number[];
  /** The requests to this process that a limit counts or turns away, in each minute of the last hour, the oldest first. */
  askedByMinute(group: Group): readonly number[];
  /** The keys whose requests to this process were over a limit in the last day. */
  turnedAway(): ReturnType<TurnedAway['read']>;
  /** The requests to this process and `workspace` that were answered with 4xx in the last day, by endpoint and reason. */
  refused(): ReturnType<RefusedRequests['read']>;
  /** The faults that this process injects; undefined without a faults file. */
  readonly faults: FaultControl | undefined;
  /** True if no worker has due work. */
  idle(): Promise<boolean>;
  /** Finishes running requests (up to `graceMs`, default 6 s), ends all other work within 3 s and closes the store. */
  close(graceMs?: number): Promise<void>;
}
