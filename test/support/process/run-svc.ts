import { join, resolve } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import type { World } from '../../../src/cli/terminal/world.ts';
import { type Clock, systemClock } from '../../../src/kit/clock.ts';
import { main } from '../../../src/main.ts';
import { checkOutput } from '../outputs/check-output.ts';
import { tempDir } from '../temp.ts';

export const ROOT = resolve(import.meta.dirname, '../../..');

export interface RunOptions {
  /** Beside a fresh HOME; PATH and the like are not passed on. */
  env?: Record<string, string | undefined>;
  /** A folder for HOME, to be shared by several runs; a fresh one unless given. */
  home?: string;
  stdin?: string | Uint8Array | Readable;
  /** Makes all three streams terminals with this number of columns; a given `stdin` only if it is a terminal. */
  columns?: number;
  clock?: Clock;
  cwd?: string;
  /** The folder of the installed program; this project unless given. */
  root?: string;
}

export interface Finished {
  code: number;
  stdout: string;
  stderr: string;
}

export interface RunningSvc {
  readonly done: Promise<Finished>;
  /** What came so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves with the first match in stdout (or stderr); rejects when the command ends without one. */
  waitFor(pattern: RegExp, stream?: 'stdout' | 'stderr'): Promise<RegExpExecArray>;
  /** What Ctrl-C or SIGTERM does. */
  interrupt(signal?: 'SIGINT' | 'SIGTERM'): void;
}

/** Runs a command line in this process with separate streams, and waits for its end. */
export function runSvc(argv: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return startSvc(argv, options).done;
}

/** Starts a command line that runs until it is interrupted. */
export function startSvc(argv: readonly string[], options: RunOptions = {}): RunningSvc {
  const home = options.home ?? tempDir();
  const stdout = new Captured(options.columns);
  const stderr = new Captured(options.columns);
  const interrupts = new Set<(signal: NodeJS.Signals) => void>();
  const ends = new Set<() => void>();
  let exited: (code: number) => void;
  const exit = new Promise<number>((resolve) => {
    exited = resolve;
  });
  const world: World = {
    env: {
      HOME: home,
      SVC_CONFIG_DIR: join(home, 'config'),
      SVC_DATA_DIR: join(home, 'data'),
      ...options.env,
    },
    cwd: options.cwd ?? home,
    stdin: input(options),
    stdout,
    stderr,
    clock: options.clock ?? systemClock,
    onInterrupt(onSignal) {
      interrupts.add(onSignal);
      return () => interrupts.delete(onSignal);
    },
    onHangUp: () => () => undefined,
    endsWithReader() {},
    onOutputClosed: () => () => undefined,
    shortLived() {},
    lowerPriority() {},
    exit: (code) => exited(code),
  };
  const done = Promise.race([main(argv, world, options.root ?? ROOT), exit]).then((code) => {
    for (const end of ends) end();
    const finished = { code, stdout: stdout.text, stderr: stderr.text };
    checkOutput(argv, options.env ?? {}, finished);
    return finished;
  });
  return {
    done,
    stdout: () => stdout.text,
    stderr: () => stderr.text,
    interrupt: (signal = 'SIGINT') => {
      for (const onSignal of [...interrupts]) onSignal(signal);
    },
    waitFor: (pattern, name = 'stdout') =>
      new Promise((resolve, reject) => {
        const stream = name === 'stdout' ? stdout : stderr;
        const look = () => {
          const match = pattern.exec(stream.text);
          if (match) resolve(match);
          return match !== null;
        };
        if (look()) return;
        stream.on('data', look);
        ends.add(() => {
          if (!look())
            reject(
              new Error(
                `svc ${argv.join(' ')} ended without ${pattern} on ${name}:\n${stdout.text}\n${stderr.text}`,
              ),
            );
        });
      }),
  };
}

class Captured extends PassThrough {
  text = '';
  readonly isTTY: boolean;
  readonly columns: number | undefined;

  constructor(columns: number | undefined) {
    super();
    this.isTTY = columns !== undefined;
    this.columns = columns;
    this.setEncoding('utf8');
    this.on('data', (chunk: string) => {
      this.text += chunk;
    });
  }
}

function input({ stdin = '', columns }: RunOptions): World['stdin'] {
  const stream: Readable & { isTTY?: boolean } =
    stdin instanceof Readable
      ? stdin
      : Readable.from(stdin.length === 0 ? [] : [Buffer.from(stdin as string)]);
  return Object.assign(stream, { isTTY: columns !== undefined && (stdin === '' || stream.isTTY === true) });
}
