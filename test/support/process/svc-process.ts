import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from '../../../scripts/bundle.js';
import { ROOT } from './run-svc.ts';

export interface SvcProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; signal: string | null; stdout: string; stderr: string }>;
}

export interface SvcProgram {
  /** Starts svc as a process of its own. `shell` runs it through a shell command such as `ulimit -f 8; exec "$@"`. */
  start(argv: string[], options: { env: Record<string, string>; cwd: string; shell?: string }): SvcProcess;
  release(): void;
}

/** Bundles the program as it is now; `script` runs it under node, for any user. */
export async function bundledSvc(): Promise<{ script: string; release(): void }> {
  const cache = join(ROOT, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const dir = mkdtempSync(join(cache, 'svc-program-'));
  await bundle({ main: join(ROOT, 'src/main.ts') }, { dir, format: 'cjs' });
  chmodSync(dir, 0o755);
  const script = join(dir, 'run.cjs');
  writeFileSync(script, `require('./main.cjs').run(${JSON.stringify(ROOT)});\n`);
  return { script, release: () => rmSync(dir, { recursive: true, force: true }) };
}

/** The program as it is now, bundled once, to be started, interrupted and killed for real. */
export async function svcProgram(): Promise<SvcProgram> {
  const { script, release } = await bundledSvc();
  return {
    start(argv, { env, cwd, shell }) {
      const node = [process.execPath, script, ...argv];
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
    release,
  };
}
