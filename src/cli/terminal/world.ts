import type { Clock } from '../../kit/clock.ts';

/** A stream that may be a terminal. */
export type Input = NodeJS.ReadableStream & {
  isTTY?: boolean;
  setRawMode?(mode: boolean): unknown;
  destroy?(): unknown;
};
export type Output = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

/** Everything from outside that a command may touch, in one object, so that a test can hold all of it. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly clock: Clock;
  /** Calls `heard` on SIGINT and SIGTERM; returns the function that stops it. */
  onInterrupt(heard: () => void): () => void;
  /** Calls `listener`, in place of ending quietly, when nobody reads standard output any more; returns what stops it. */
  onOutputClosed(listener: () => void): () => void;
  /** Told by a command that ends after a few requests: what only pays in the long run need not be begun. */
  endsSoon(): void;
  /** Ends the process at once, for a second Ctrl-C. */
  exit(code: number): void;
}
