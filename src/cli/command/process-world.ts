import { writeSync } from 'node:fs';
import { constants, getPriority, homedir, setPriority } from 'node:os';
import { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { systemClock } from '../../kit/clock.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { SvcError } from '../errors/svc-error.ts';
import { NO_INVOCATION } from '../invocation/invocation.ts';
import type { World } from '../terminal/world.ts';

/** The world of the current process. Streams are opened on first use, to save start-up time. */
export function processWorld(): World {
  signals ??= listenForSignals();
  const { hangUp } = signals;
  return {
    env: environment(),
    cwd: process.cwd(),
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return openStream('stdout');
    },
    get stderr() {
      return openStream('stderr');
    },
    clock: systemClock,
    onInterrupt(listener) {
      for (const signal of INTERRUPTS) process.on(signal, listener);
      return () => {
        for (const signal of INTERRUPTS) process.off(signal, listener);
      };
    },
    onHangUp(listener) {
      hangUp?.add(listener);
      return () => void hangUp?.delete(listener);
    },
    endsWithReader(ends) {
      endsWithReader = ends;
    },
    onOutputClosed(listener) {
      outputClosedListeners.add(listener);
      return () => void outputClosedListeners.delete(listener);
    },
    shortLived() {
      if (!wasmCompiledOnce) compileWasmOnce();
      wasmCompiledOnce = true;
    },
    lowerPriority: lowerPriority,
    exit: (code) => process.exit(code),
  };
}

/** The listeners of the process, which several commands share where a program runs them one after the other. */
let signals: { readonly hangUp: Set<() => void> | undefined } | undefined;

function listenForSignals(): NonNullable<typeof signals> {
  // A file size limit must fail the write, as a full disk does, and not kill the process.
  process.on('SIGXFSZ', () => undefined);
  return { hangUp: process.platform === 'win32' ? undefined : listenForHangUp() };
}

/**
 * Listens for SIGHUP. It ends a command whose terminal was closed, as an interrupt does. Otherwise it calls the listeners
 * that are added to the set that is returned, and without one ends a command that has a terminal.
 */
function listenForHangUp(): Set<() => void> {
  const listeners = new Set<() => void>();
  const terminals = [0, 1, 2].filter(isatty);
  const onSignal = () => {
    // nohup takes the terminal away and has the signal ignored, which Node undoes when it starts.
    const runsOn = terminals.length === 0 || (listeners.size > 0 && terminals.some(isatty));
    if (runsOn) for (const listener of listeners) listener();
    else endByHangUp();
  };
  const end = () => {
    process.off('SIGHUP', onSignal);
    process.kill(process.pid, 'SIGHUP');
  };
  let ending = false;
  const endByHangUp = () => {
    // The kernel sends the signal, and so may the shell. A second interrupt would end the command at once.
    if (ending) return;
    ending = true;
    if (process.listenerCount('SIGTERM') === 0) end();
    else process.kill(process.pid, 'SIGTERM');
  };
  process.on('SIGHUP', onSignal);
  // Node aborts when it exits and restores a terminal that is gone: the signal ends it instead.
  process.once('exit', () => {
    if (ending || !terminals.every(isatty)) end();
  });
  return listeners;
}

function lowerPriority(): void {
  try {
    setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
  } catch {
    // A sandbox may refuse it.
  }
}

/** On Windows SIGTERM is never sent; SIGBREAK is Ctrl-Break, and SIGHUP the end of its console window. */
const INTERRUPTS: readonly NodeJS.Signals[] =
  process.platform === 'win32' ? ['SIGINT', 'SIGBREAK', 'SIGHUP'] : ['SIGINT', 'SIGTERM'];

/** Returns the environment. Where there is no home folder, sets HOME for packages that read it when they load. */
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

/** Called when standard output is closed. */
const outputClosedListeners = new Set<() => void>();
let outputClosed = false;
/** True also for what is no command of svc: the help, and a plugin. */
let endsWithReader = true;

/** The output streams opened so far. */
const openedStreams = new Set<NodeJS.WriteStream>();

function openStream(name: 'stdout' | 'stderr'): NodeJS.WriteStream {
  const stream = process[name];
  if (!openedStreams.has(stream)) {
    openedStreams.add(stream);
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // A notice that cannot be written, for example on a full disk, must not stop the command.
      if (name === 'stderr') return;
      // EIO is the answer of a terminal that is gone.
      outputClosed ||= error.code === 'EPIPE' || (error.code === 'EIO' && stream.isTTY);
      if (outputClosed) {
        // A listing has no more to do (`svc … | head -1`): exit quietly. Any other command ends with its own exit code.
        if (endsWithReader && outputClosedListeners.size === 0) process.exit(EXIT.done);
        for (const listener of outputClosedListeners) listener();
        return;
      }
      reportLostOutput(error);
      process.exit(EXIT.unexpected);
    });
  }
  return stream;
}

/** Reports synchronously that results could not be written: the process exits before a stream could flush. */
function reportLostOutput({ code }: NodeJS.ErrnoException): void {
  const failure = new SvcError('disk', `standard output cannot be written (${code})`, {
    hint: 'completed work is kept; free some space (df -h) or write the output elsewhere',
  });
  const text = process.argv.includes('--json')
    ? JSON.stringify(failure.toJson(NO_INVOCATION))
    : `error: ${failure.message}\n  next: ${failure.hint}`;
  try {
    writeSync(2, `${text}\n`);
  } catch {
    // Only the exit code can report it.
  }
}

/** Resolves once everything written to stdout and stderr is flushed. */
export async function flushed(): Promise<void> {
  // Not `stream.write`: a test may have replaced it with a function that never calls back.
  const write = (stream: Writable, done: () => void) =>
    Writable.prototype.write.call(stream, '', 'utf8', done);
  await Promise.all(
    [...openedStreams].map((stream) => new Promise<void>((resolve) => void write(stream, resolve))),
  );
}

let wasmCompiledOnce = false;

/**
 * Makes V8 compile WebAssembly with its baseline compiler only. Optimizing the HTTP parser in the background takes
 * 75 ms of a process that sends one request. A code cache is valid only under the flags it was made with, so the
 * flags, and those they imply, are restored before bin/code-cache.js makes one.
 */
function compileWasmOnce(): void {
  // Not imported: every start would load it.
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  setFlagsFromString('--liftoff-only');
  process.prependOnceListener('exit', () => {
    for (const flag of ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering'])
      setFlagsFromString(flag);
  });
}
