import type { ServiceError } from '../../contract/errors.ts';
import { newId } from '../../kit/id.ts';
import type { Log } from '../platform/log.ts';
import { traceparentOf } from '../platform/tracing/context.ts';
import { type Tracing, traceFields } from '../platform/tracing/tracing.ts';
import type { EndpointRequests, Measured } from './endpoint-requests.ts';

/** Requests of one interval that are logged at `info`; further ones are counted, and logged at `debug`. */
const LINES_PER_INTERVAL = 100;
const INTERVAL_MS = 1000;

/** What is known of a request before it is answered. */
interface RequestStart {
  /** Name of the endpoint in the metrics; undefined for a request that has none. */
  readonly endpoint: string | undefined;
  readonly method: string;
  /** The template of the path, such as `/v1/users/{hashId}`: the path itself may name a person. */
  readonly route: string | undefined;
  /** The W3C header of that name. */
  readonly traceparent: string | undefined;
}

/** The record of a request in progress. */
export interface RequestRecord {
  readonly requestId: string;
  /** The traceparent of the request's span, which work that it causes belongs to; undefined without a trace. */
  readonly trace: string | undefined;
  /** Limiter time at which the request counts against its limit, in ms; undefined if it does not count. */
  countedAt: number | undefined;
  /** Takes when its work at the store begins and ends; undefined where nobody measures. */
  readonly measured: Measured | undefined;
  /** The error of its answer, and the workspace that it named; undefined without an error. */
  refused: { readonly workspaceId: string | undefined; readonly error: ServiceError } | undefined;
  /** Records the status of the answer in the log, the metrics and the trace. */
  end(status: number): void;
}

/** Receives what the service does, for metrics. */
export interface Observe {
  /** Records a request to an endpoint; call the result with the status of its answer. */
  request(endpoint: string): (status: number) => void;
  /** Records a log line. */
  line(level: string): void;
}

/** Records nothing. */
export const unobserved: Observe = { request: () => () => {}, line: () => {} };

export interface RequestRecorder {
  begin(request: RequestStart): RequestRecord;
  /** Logs how many requests were left out since the last interval. */
  close(): void;
}

/**
 * Records requests. The log has a line for each, or where they are many for the first of each second, and then how many
 * were left out of it. `counted` takes what came to each endpoint, and `refused` why it was
 * answered with 4xx.
 */
export function recordRequests(
  log: Log,
  observe: Observe,
  tracing: Tracing,
  counted?: EndpointRequests,
  refused?: (endpoint: string, workspaceId: string | undefined, error: ServiceError) => void,
): RequestRecorder {
  const lines = boundedLines(log);
  return {
    begin({ endpoint, method, route, traceparent }) {
      const requestId = newId('req');
      const startedAt = performance.now();
      const measured = endpoint === undefined ? undefined : counted?.begin(endpoint);
      const observed = endpoint === undefined ? undefined : observe.request(endpoint);
      const span = tracing.start({
        kind: 'server',
        name: route === undefined ? method : `${method} ${route}`,
        parent: traceparent,
        attributes: {
          'http.request.method': method,
          ...(route === undefined ? {} : { 'http.route': route }),
          'svc.request_id': requestId,
        },
      });
      return {
        requestId,
        trace: span.context && traceparentOf(span.context),
        countedAt: undefined,
        measured,
        refused: undefined,
        end(status) {
          observed?.(status);
          span.end(status);
          measured?.end(status);
          if (endpoint !== undefined && this.refused && status >= 400 && status < 500)
            refused?.(endpoint, this.refused.workspaceId, this.refused.error);
          lines.write({
            method,
            path: route ?? 'unknown',
            status,
            durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
            requestId,
            ...(this.countedAt === undefined ? {} : { countedAt: this.countedAt }),
            ...traceFields(span),
          });
        },
      };
    },
    close: lines.close,
  };
}

function boundedLines(log: Log): { write(fields: Record<string, unknown>): void; close(): void } {
  let written = 0;
  let omitted = 0;
  let interval: NodeJS.Timeout | undefined;
  const endInterval = () => {
    clearTimeout(interval);
    interval = undefined;
    if (omitted > 0) log('info', 'requests were left out of the log', { omitted });
    written = 0;
    omitted = 0;
  };
  return {
    write(fields) {
      interval ??= setTimeout(endInterval, INTERVAL_MS).unref();
      if (written < LINES_PER_INTERVAL) {
        written++;
        log('info', 'request', fields);
      } else {
        omitted++;
        log('debug', 'request', fields);
      }
    },
    close: endInterval,
  };
}
