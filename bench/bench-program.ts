import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { SvcProgram } from '../test/support/process/svc-process.ts';

/** Runs the built program (`npm run build`) from the root of the repository. */
export function benchProgram(): SvcProgram {
  const script = join(process.cwd(), 'bin', 'run.js');
  return {
    start(argv, { env, cwd }) {
      const child = spawn(process.execPath, [script, ...argv], {
        cwd,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let stderr = '';
      child.stderr.on('data', (chunk) => {
        stderr += chunk;
      });
      const ended = new Promise<{
        code: number | null;
        signal: string | null;
        stdout: string;
        stderr: string;
      }>((resolve, reject) => {
        child.on('error', reject);
        child.on('close', (code, signal) => resolve({ code, signal, stdout: '', stderr }));
      });
      return { child, ended };
    },
    release: () => {},
  };
}
