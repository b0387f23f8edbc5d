import { writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { systemClock } from '../../kit/clock.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { SvcError } from '../errors/svc-error.ts';
import { NO_INVOCATION } from '../invocation/invocation.ts';
import type { World } from '../terminal/world.ts';

/** The world of a real process. Each stream is opened when it is first used: that costs time few commands need. */
export function processWorld(): World {
  // A limit on file sizes shall be an error of the write, as a full disk is, and not the end of the process.
  process.on('SIGXFSZ', () => undefined);
  return {
    env: environment(),
    cwd: process.cwd(),
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return opened('stdout');
    },
    get stderr() {
      return opened('stderr');
    },
    clock: systemClock,
    onInterrupt(heard) {
      process.on('SIGINT', heard);
      process.on('SIGTERM', heard);
      return () => {
        process.off('SIGINT', heard);
        process.off('SIGTERM', heard);
      };
    },
    onOutputClosed(listener) {
      readers.add(listener);
      return () => void readers.delete(listener);
    },
    endsSoon: compileQuickly,
    exit: (code) => process.exit(code),
  };
}

/** The environment as it is. Where there is no home at all, packages that look for it when they load get one. */
function environment(): World['env'] {
  try {
    homedir();
    return process.env;
  } catch {
    const env = { ...process.env };
    process.env.HOME = '/nonexistent';
    return env;
  }
}

/** Told when nobody reads standard output any more. */
const readers = new Set<() => void>();
let outputClosed = false;

/** The output streams used so far. */
const used = new Set<NodeJS.WriteStream>();

function opened(name: 'stdout' | 'stderr'): NodeJS.WriteStream {
  const stream = process[name];
  if (!used.has(stream)) {
    used.add(stream);
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // Notices that nobody can take, on a full disk say, must not stop the work that they are about.
      if (name === 'stderr') return;
      outputClosed ||= error.code === 'EPIPE';
      if (outputClosed) {
        // A reader that went away (`svc … | head -1`) is no failure of a listing: stop quietly.
        if (readers.size === 0) process.exit(EXIT.done);
        for (const listener of readers) listener();
        return;
      }
      sayLost(error);
      process.exit(EXIT.unexpected);
    });
  }
  return stream;
}

/** Says that results could not be written, at once: there is no time for a stream before the process ends. */
function sayLost({ code }: NodeJS.ErrnoException): void {
  const failure = new SvcError('disk', `standard output cannot be written (${code})`, {
    hint: 'what was done stays done; free some space (df -h) or send the output elsewhere',
  });
  const text = process.argv.includes('--json')
    ? JSON.stringify(failure.toJson(NO_INVOCATION))
    : `error: ${failure.message}\n  next: ${failure.hint}`;
  try {
    writeSync(2, `${text}\n`);
  } catch {
    // Nobody can be told; the exit code tells.
  }
}

/** Resolves once everything written to stdout and stderr has left the process. */
export async function flushed(): Promise<void> {
  await Promise.all([...used].map((stream) => new Promise((resolve) => stream.write('', resolve))));
}

/**
 * Lets V8 translate WebAssembly once and plainly. The HTTP parser is WebAssembly; optimising it in the background takes
 * 75 ms of a process that wants to end after one answer. A code cache is only valid under the flags it was made with:
 * they, and what they imply, are put back before bin/code-cache.js makes one.
 */
function compileQuickly(): void {
  setFlagsFromString('--liftoff-only');
  process.prependOnceListener('exit', () => {
    for (const flag of ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering'])
      setFlagsFromString(flag);
  });
}
