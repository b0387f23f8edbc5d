import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { World } from '../../cli/terminal/world.ts';
import { type ServiceOptions, startService } from '../../service/start.ts';

export interface RunOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly world: World;
  /** Fires when svc itself is to stop: handed on to the command as SIGTERM. */
  readonly signal: AbortSignal;
  readonly options: Omit<ServiceOptions, 'database'>;
}

/** Variables of the caller that would lead svc commands of the child elsewhere than to this service. */
const OTHER_SERVICE = ['SVC_PROFILE', 'SVC_REGION'];

/**
 * Runs a command beside a fresh service. Resolves with its exit code, 128 and the signal's number where a signal ended
 * it, undefined where it could not be started. Rejects where the service does not start.
 */
export async function runWithService(run: RunOptions): Promise<number | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-exec-'));
  try {
    const database = join(folder, 'service.db');
    const service = await startService({ ...run.options, database, port: 0 });
    try {
      const env = Object.fromEntries(
        Object.entries(run.world.env).filter(([name]) => !OTHER_SERVICE.includes(name)),
      );
      return await runChild(run, {
        ...env,
        SVC_BASE_URL: service.url,
        SVC_WORKSPACE: service.workspace,
        SVC_API_KEY: service.apiKey ?? '',
        // For `svc data export`: what the command did can be looked at while the service is there.
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
  const own = stdout === process.stdout;
  const child = spawn(command, args, {
    env,
    cwd: world.cwd,
    stdio: own ? 'inherit' : ['pipe', 'pipe', 'pipe'],
  });
  if (!own) {
    stdin.pipe(child.stdin!);
    child.stdin!.on('error', () => {});
    child.stdout!.pipe(stdout, { end: false });
    child.stderr!.pipe(stderr, { end: false });
  }
  // A Ctrl-C of the terminal reaches the child by itself; a signal to svc alone has to be handed on.
  const stop = () => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await ended(child);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function ended(child: ChildProcess): Promise<number | undefined> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(undefined));
    child.once('close', (code, name) => resolve(code ?? 128 + (name ? (constants.signals[name] ?? 0) : 0)));
  });
}
