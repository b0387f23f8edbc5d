import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Finished } from './run-svc.ts';

export interface ProcessOptions {
  readonly home: string;
  readonly env?: Record<string, string | undefined>;
  /** What standard input holds before it ends. */
  readonly stdin?: string;
}

/** Starts the built program (see builtSvc) in a separate process with its own HOME. */
export function startProcess(
  built: readonly string[],
  argv: readonly string[],
  { home, env = {} }: ProcessOptions,
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [...built, ...argv], {
    cwd: home,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      SVC_CONFIG_DIR: join(home, 'config'),
      SVC_DATA_DIR: join(home, 'data'),
      ...env,
    },
  });
}

/** Runs it to its end. */
export async function runProcess(
  built: readonly string[],
  argv: readonly string[],
  options: ProcessOptions,
): Promise<Finished> {
  const child = startProcess(built, argv, options);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(options.stdin ?? '');
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve(status ?? -1));
  });
  return { code, stdout, stderr };
}
