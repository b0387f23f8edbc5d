/** Receives what the service does, for metrics. */
export interface Observe {
  /** Records a request to an endpoint; call the result with the status of its answer. */
  request(endpoint: string): (status: number) => void;
  /** Records a log line. */
  line(level: string): void;
}

/** Records nothing. */
export const unobserved: Observe = { request: () => () => {}, line: () => {} };
