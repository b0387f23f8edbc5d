import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../../src/kit/random.ts';
import { type Reply, type Served, serve } from '../process/served.ts';
import type { SvcProgram } from '../process/svc-process.ts';
import { Ledger } from './ledger.ts';

export interface DiskFigures {
  readonly rounds: number;
  /** Rounds in which at least one request was answered 503. */
  readonly failed: number;
  readonly taken: number;
  readonly unavailable: number;
  readonly faults: string[];
}

/** Makes a part of a disk fail and work again. */
interface Fault {
  begin(round: number): Promise<void> | void;
  end(): Promise<void> | void;
}

/**
 * Sends batches during a fault, then ends it and expects the same process to accept batches again. Everything answered
 * 2xx must be stored, nothing that was refused may be stored, and all answers must be 2xx or 503.
 */
async function suffer(
  program: SvcProgram,
  { home, database, shell }: { home: string; database: string; shell?: string },
  rounds: number,
  random: () => number,
  makeFault: (served: Served) => Fault,
): Promise<DiskFigures> {
  const served = await serve(program, { home, database, ...(shell === undefined ? {} : { shell }) });
  const fault = makeFault(served);
  const ledger = new Ledger();
  const faults: string[] = [];
  let failed = 0;
  let unavailable = 0;
  const decide = () => served.send('/v1/decisioning/decide', { hashId: 'somebody' });
  try {
    for (let round = 0; round < rounds; round++) {
      const replies: Reply[] = [];
      await fault.begin(round);
      try {
        for (let turn = 0; turn < 3; turn++) {
          const sends = Array.from({ length: 4 }, () => ledger.send(served, 1 + Math.floor(random() * 200)));
          replies.push(...(await Promise.all([...sends, decide()])));
        }
      } finally {
        await fault.end();
      }
      const bad = replies.filter((reply) => ![200, 202, 503].includes(reply?.status ?? 0));
      for (const reply of bad) faults.push(`round ${round}: ${reply?.status ?? 'no answer'} ${reply?.text}`);
      const refused = replies.filter((reply) => reply?.status === 503);
      for (const { text } of refused as { text: string }[])
        if (!/"requestId":"req_/.test(text)) faults.push(`round ${round}: ${text}`);
      unavailable += refused.length;
      if (refused.length > 0) failed++;
      if (!(await recovers(ledger, served))) faults.push(`round ${round}: did not recover`);
      if (round % 10 === 9) faults.push(...ledger.faults(database));
      if (faults.length > 0) break;
    }
    faults.push(...ledger.faults(database));
    const replies = await ledger.again(served);
    if (replies.some((reply) => reply?.status !== 202)) faults.push('a refused batch was not accepted later');
    await served.kill();
    const again = await serve(program, { home, database });
    faults.push(...ledger.faults(database));
    if ((await again.stop()) !== 0) faults.push('did not exit with 0');
  } finally {
    const { exitCode, signalCode } = served.process.child;
    if (exitCode === null && signalCode === null) {
      await fault.end();
      await served.kill();
    }
  }
  return { rounds, failed, taken: ledger.count('accepted'), unavailable, faults };
}

/** True if one of the next requests succeeds: the first ones may still fail. */
async function recovers(ledger: Ledger, served: Served): Promise<boolean> {
  for (let tries = 0; tries < 50; tries++) {
    if ((await ledger.send(served, 1))?.status === 202) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}

/** Limits the file size of the running process: writes beyond a byte fail, partly or completely. */
export function sufferFileLimit(program: SvcProgram, home: string, rounds: number, seed: string) {
  const random = seededRandom(seed);
  const log = join(home, 'stderr.log');
  return suffer(
    program,
    { home, database: join(home, 'limited.db'), shell: `exec "$@" 2>>${log}` },
    rounds,
    random,
    ({ pid }) => ({
      begin: (round) => limit(pid, String(Math.floor(random() * [1e3, 1e5, 1e6, 5e6][round % 4]!))),
      end: () => limit(pid, 'unlimited'),
    }),
  );
}

function limit(pid: number, bytes: string): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
}

/**
 * Uses a file system of 24 MB, for the log too, and fills it completely. Returns undefined if this user cannot mount
 * one.
 */
export async function sufferFullDisk(
  program: SvcProgram,
  home: string,
  rounds: number,
  seed: string,
): Promise<DiskFigures | undefined> {
  const disk = join(home, 'disk');
  mkdirSync(disk);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'svc-test', disk]);
  if (mounted.status !== 0) return undefined;
  const ballast = join(disk, 'ballast');
  const random = seededRandom(seed);
  try {
    return await suffer(
      program,
      { home, database: join(disk, 'full.db'), shell: `exec "$@" 2>>${join(disk, 'stderr.log')}` },
      rounds,
      random,
      () => ({
        begin: () => fill(ballast, Math.floor(random() * 20) * 4096),
        end: () => rmSync(ballast, { force: true }),
      }),
    );
  } finally {
    execFileSync('umount', ['-l', disk]);
  }
}

/** Fills the disk except for about `spare` bytes. */
function fill(path: string, spare: number): void {
  const sparePath = `${path}.spare`;
  const file = openSync(sparePath, 'w');
  const ballast = openSync(path, 'w');
  try {
    if (spare > 0) writeSync(file, Buffer.alloc(spare));
    const block = Buffer.alloc(4096);
    for (;;) writeSync(ballast, block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
    closeSync(ballast);
    rmSync(sparePath);
  }
}

/** True if `strace` is installed and permitted. */
export function canInject(): boolean {
  return spawnSync('strace', ['-qq', '-o', '/dev/null', 'true']).status === 0;
}

/** The system calls that SQLite writes with; sockets use `write`. */
const CALLS = ['pwrite64', 'fdatasync,fsync', 'pwrite64,fdatasync,fsync,ftruncate'];

/** Makes the k-th system call of a kind fail in each thread, once or until the fault ends; k increases with the rounds. */
export function sufferFailingCalls(program: SvcProgram, home: string, rounds: number, seed: string) {
  return suffer(
    program,
    { home, database: join(home, 'injected.db') },
    rounds,
    seededRandom(seed),
    ({ pid }) => {
      let tracer: ReturnType<typeof spawn> | undefined;
      return {
        async begin(round) {
          const kind = round % 6;
          const calls = CALLS[kind % 3]!;
          const when = `${1 + Math.floor(round / 6)}${kind < 3 ? '' : '+'}`;
          const error = round % 2 === 0 ? 'EIO' : 'ENOSPC';
          tracer = spawn(
            'strace',
            ['-f', '-p', String(pid), '-o', '/dev/null', '-e', `trace=${calls}`].concat([
              '-e',
              `inject=${calls}:error=${error}:when=${when}`,
            ]),
            { stdio: ['ignore', 'ignore', 'pipe'] },
          );
          await new Promise<void>((resolve, reject) => {
            let text = '';
            tracer!.stderr!.on('data', (chunk) => {
              text += chunk;
              if (/attached/.test(text)) resolve();
            });
            tracer!.once('exit', () => reject(new Error(`strace ended: ${text}`)));
          });
        },
        async end() {
          if (!tracer) return;
          const gone = new Promise((resolve) => tracer!.once('exit', resolve));
          if (tracer.exitCode === null && tracer.signalCode === null) {
            tracer.kill('SIGTERM');
            await gone;
          }
          tracer = undefined;
        },
      };
    },
  );
}
