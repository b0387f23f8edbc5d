/** Where the service tells what it does, for whoever counts it. */
export interface Observe {
  /** A request came for an endpoint; call the result with the status of its answer. */
  request(endpoint: string): (status: number) => void;
  /** A log line was written. */
  line(level: string): void;
}

/** Nobody counts. */
export const unobserved: Observe = { request: () => () => {}, line: () => {} };
