import type { ClientRequest, ClientVerdict } from '../../../service/http/access/client-counts.ts';
import type { TlsKeyPair } from '../../../service/http/tls.ts';
import type { Policy } from '../../../service/platform/settings.ts';
import type { MetricValues } from '../../../service/telemetry/metrics.ts';

/** What `svc serve` says of a service that is ready. */
export interface ReadyService {
  readonly url: string;
  readonly workspace: string;
  readonly apiKey: string | null;
  readonly keyId: string | null;
  readonly mode: 'live' | 'test';
  readonly testClock: boolean;
  /** The channels with a provider. */
  readonly withProvider: readonly string[];
  readonly policy: Policy;
}

/** What a node asks of its processes. */
export type Question = 'ready' | 'metrics' | 'console';

/** A request of a client that the node is to count, with a number of the process that asks. */
export interface CountQuestion {
  readonly id: number;
  readonly request: ClientRequest;
}

/** From the node to a process. */
export type ToMember =
  /** The first message where the node serves https: what its files held when it accepted them. */
  | { readonly type: 'tls'; readonly keyPair: TlsKeyPair }
  | { readonly type: 'stop' }
  | {
      readonly type: 'counted';
      readonly answers: readonly { readonly id: number; readonly verdict: ClientVerdict }[];
    }
  | { readonly type: 'ask'; readonly id: number; readonly question: Question };

/** From a process to its node. */
export type FromMember =
  | { readonly type: 'ready'; readonly service: ReadyService }
  | { readonly type: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly type: 'count'; readonly questions: readonly CountQuestion[] }
  /** What its metrics have counted at its end; undefined if it collected none. */
  | { readonly type: 'closed'; readonly counts: MetricValues | undefined };
