import type { Clock } from '../../kit/clock.ts';

/** A stream that may be a terminal. */
export type Input = NodeJS.ReadableStream & {
  isTTY?: boolean;
  setRawMode?(mode: boolean): unknown;
  destroy?(): unknown;
};
export type Output = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

/** Everything outside the process that a command may use, in one object that a test can replace. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly clock: Clock;
  /** Calls `listener` with the signal on SIGINT and SIGTERM (on Windows SIGINT, SIGBREAK and SIGHUP). Returns a function that removes the listener. */
  onInterrupt(listener: (signal: NodeJS.Signals) => void): () => void;
  /**
   * Calls `listener` on SIGHUP, instead of ending, unless the terminal was closed; never on Windows. Returns a function
   * that removes the listener.
   */
  onHangUp(listener: () => void): () => void;
  /** Says whether the command that starts now ends with 0 when standard output is closed, or goes on to its own end. */
  endsWithReader(ends: boolean): void;
  /** Calls `listener` when standard output is closed, instead of exiting. Returns a function that removes it. */
  onOutputClosed(listener: () => void): () => void;
  /** Announces that the command ends after a few requests, so that slow optimizations can be skipped. */
  shortLived(): void;
  /** Lets other processes run first, for a command that takes minutes. */
  lowerPriority(): void;
  /** Ends the process at once, for a second Ctrl-C. */
  exit(code: number): void;
}
