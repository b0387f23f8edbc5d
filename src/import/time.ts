/** The clock that the import waits by. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Rejects when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
