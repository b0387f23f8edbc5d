import { type ChildProcess, spawn } from 'node:child_process';
import { builtSvc } from './built-svc.ts';

export interface SvcProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; signal: string | null; stdout: string; stderr: string }>;
}

export interface SvcProgram {
  /** Starts svc in a separate process. `shell` runs it through a shell command such as `ulimit -f 8; exec "$@"`. */
  start(argv: string[], options: { env: Record<string, string>; cwd: string; shell?: string }): SvcProcess;
  release(): void;
}

/** The program as it is now, to be started, interrupted and killed for real. */
export async function svcProgram(): Promise<SvcProgram> {
  const built = await builtSvc();
  return {
    start(argv, { env, cwd, shell }) {
      const node = [process.execPath, ...built, ...argv];
      const [command, ...rest] = shell === undefined ? node : ['/bin/sh', '-c', shell, 'sh', ...node];
      const child = spawn(command!, rest, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let stdout = '';
      let stderr = '';
      child.stdout.on('data', (chunk) => {
        stdout += chunk;
      });
      child.stderr.on('data', (chunk) => {
        stderr += chunk;
      });
      const ended = new Promise<Awaited<SvcProcess['ended']>>((resolve, reject) => {
        child.on('error', reject);
        child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
      });
      return { child, ended };
    },
    release: () => {},
  };
}
