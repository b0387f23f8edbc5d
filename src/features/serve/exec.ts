import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
// On Windows Node.js itself starts neither npm nor any other script of a package manager.
import spawn from 'cross-spawn';
import type { World } from '../../cli/terminal/world.ts';
import { type ServiceOptions, startService } from '../../service/start.ts';

export interface RunOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly world: World;
  /** Fires when svc is asked to stop; the command then gets SIGTERM. */
  readonly signal: AbortSignal;
  readonly options: Omit<ServiceOptions, 'database'>;
}

/** Variables that would make svc commands of the child use another service. */
const REMOVED_VARIABLES = ['SVC_PROFILE', 'SVC_REGION'];

/**
 * Runs a command with a temporary service. Resolves with the command's exit code, 128 plus the signal number if a signal
 * ended it, or undefined if it could not be started. Rejects if the service does not start.
 */
export async function runWithService(run: RunOptions): Promise<number | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-exec-'));
  try {
    const database = join(folder, 'service.db');
    const service = await startService({ ...run.options, database, port: 0 });
    try {
      const env = Object.fromEntries(
        Object.entries(run.world.env).filter(([name]) => !REMOVED_VARIABLES.includes(name)),
      );
      return await runChild(run, {
        ...env,
        SVC_BASE_URL: service.url,
        SVC_WORKSPACE: service.workspace,
        SVC_API_KEY: service.apiKey ?? '',
        // Lets the command run `svc data export` on the service's data.
        SVC_DATABASE_URL: database,
        ...(run.options.region === undefined ? {} : { SVC_REGION: run.options.region }),
      });
    } finally {
      await service.close(0);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runChild(
  { command, args, world, signal }: RunOptions,
  env: NodeJS.ProcessEnv,
): Promise<number | undefined> {
  const { stdin, stdout, stderr } = world;
  const inherits = stdout === process.stdout;
  const child = spawn(command, args, {
    env,
    cwd: world.cwd,
    stdio: inherits ? 'inherit' : ['pipe', 'pipe', 'pipe'],
  });
  if (!inherits) {
    stdin.pipe(child.stdin!);
    child.stdin!.on('error', () => {});
    child.stdout!.pipe(stdout, { end: false });
    child.stderr!.pipe(stderr, { end: false });
  }
  // Ctrl-C in a terminal also reaches the child; a signal sent only to svc must be forwarded.
  const stop = () => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await exitCode(child);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function exitCode(child: ChildProcess): Promise<number | undefined> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(undefined));
    child.once('close', (code, name) => resolve(code ?? 128 + (name ? (constants.signals[name] ?? 0) : 0)));
  });
}
