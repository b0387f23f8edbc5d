export interface Session {
  /** Runs a command, of one line or many. Resolves with everything it said and its exit code. */
  run(command: string, timeoutMs?: number): Promise<{ output: string; code: number }>;
  /** Runs a command in the background until what it says matches `ready`; it goes on until the session ends. */
  background(command: string, ready: string, timeoutMs?: number): Promise<{ output: string; code: number }>;
  /** Ends the session and everything that it started. */
  close(): Promise<void>;
}
export function startSession(options: { cwd: string; env: Record<string, string> }): Session;
export function missingLine(expected: string, output: string): string | undefined;
