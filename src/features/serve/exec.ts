import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
// On Windows Node.js itself starts neither npm nor any other script of a package manager.
import spawn from 'cross-spawn';
import { EXIT } from '../../cli/errors/exit-codes.ts';
import type { World } from '../../cli/terminal/world.ts';
import type { Clock } from '../../kit/clock.ts';
import { type ServiceOptions, startService } from '../../service/start.ts';

export interface RunOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly world: World;
  /** Aborted once svc was asked to stop; the command is then not started. */
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
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // A second Ctrl-C ends svc at once.
  process.once('exit', remove);
  try {
    const database = join(folder, 'service.db');
    const service = await startService({ ...run.options, database, port: 0 });
    try {
      if (run.signal.aborted) return EXIT.interrupted;
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
    process.off('exit', remove);
    remove();
  }
}

async function runChild(
  { command, args, world }: RunOptions,
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
  const ended = new AbortController();
  let stopping = false;
  const stop = world.onInterrupt((received) => {
    if (stopping) return;
    stopping = true;
    const terminal = [stdin, stdout, stderr].some(({ isTTY }) => isTTY);
    // Rejects once the child has ended.
    stopChild(child, signalsAfter(received, terminal), world.clock, ended.signal).catch(() => undefined);
  });
  // As above.
  const endChild = () => child.kill();
  process.once('exit', endChild);
  try {
    return await exitCode(child);
  } finally {
    process.off('exit', endChild);
    stop();
    ended.abort();
  }
}

/** The time after which a child that goes on running gets the next signal, in milliseconds. */
const GRACE_MS = 10_000;

/** The signals for a child after svc received one; undefined is one that the child has already. */
function signalsAfter(received: NodeJS.Signals, terminal: boolean): readonly (NodeJS.Signals | undefined)[] {
  if (received === 'SIGTERM') return ['SIGTERM', 'SIGKILL'];
  // A terminal sends Ctrl-C to the child too.
  return [terminal ? undefined : received, 'SIGTERM', 'SIGKILL'];
}

async function stopChild(
  child: ChildProcess,
  signals: readonly (NodeJS.Signals | undefined)[],
  clock: Clock,
  ended: AbortSignal,
): Promise<void> {
  for (const signal of signals) {
    if (signal !== undefined) child.kill(signal);
    await clock.sleep(GRACE_MS, ended);
  }
}

function exitCode(child: ChildProcess): Promise<number | undefined> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(undefined));
    child.once('close', (code, name) => resolve(code ?? 128 + (name ? (constants.signals[name] ?? 0) : 0)));
  });
}
