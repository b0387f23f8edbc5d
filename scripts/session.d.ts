export interface Session {
  /** Runs a command of one or more lines. Resolves with its output and exit code. */
  run(command: string, timeoutMs?: number): Promise<{ output: string; code: number }>;
  /** Starts a command in the background and waits until its output matches `ready`. It runs until the session ends. */
  background(command: string, ready: string, timeoutMs?: number): Promise<{ output: string; code: number }>;
  /** Ends the session and everything it started. */
  close(): Promise<void>;
}
export function startSession(options: { cwd: string; env: Record<string, string> }): Session;
export function missingLine(expected: string, output: string): string | undefined;
