import { setMaxListeners } from 'node:events';
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { Pacer } from '../../client/pacer/pacer.ts';
import { openPipe } from '../../kit/pipe.ts';
import { Semaphore } from '../../kit/semaphore.ts';
import { shell, shellPath } from '../../kit/shell.ts';
import { SvcError } from '../errors/svc-error.ts';
import { toSvcError } from '../errors/to-svc-error.ts';
import { NO_INVOCATION } from '../invocation/invocation.ts';
import type { Output } from '../terminal/output.ts';
import { pacedText, paceOf } from '../terminal/pace.ts';
import { escapeJson } from '../terminal/sanitize.ts';
import type { World } from '../terminal/world.ts';
import { inputLines } from './input-lines.ts';
import { whileRead } from './output-closed.ts';

/** What comes back for one request: the answer's body, as text. */
export interface BatchAnswer {
  readonly text: string;
}

export interface BatchOptions<R> {
  /** A path, or `-` for standard input. */
  readonly input: string;
  readonly world: Pick<World, 'stdin' | 'stdout' | 'cwd' | 'clock' | 'onOutputClosed'>;
  readonly out: Output;
  /** Of the requests' group, to say what holds them back. */
  readonly pacer: Pacer;
  /** Ends the reading; what was sent is awaited. */
  readonly signal: AbortSignal;
  readonly debug: boolean;
  /** A line that is sent has an effect: when nobody reads the answers any more, that is said, and is no success. */
  readonly hasEffects?: boolean;
  /** Makes a request of a line, which is neither blank nor padded. Throws SvcError for a bad one. */
  readonly read: (line: string) => R;
  /** Sends one request. Several run at a time; the client paces them. */
  readonly call: (request: R) => Promise<BatchAnswer>;
}

/** How often a line on stderr says how far it is, where the results do not show it on a terminal. */
const PROGRESS_MS = 10_000;

/** Most requests under way or waiting for an earlier one to be written. */
const WINDOW = 32;

/** Failures that every further line would meet too. */
const STOPPING = new Set(['unauthorized', 'forbidden', 'unreachable', 'not_configured']);

/**
 * Sends a request for each line of the input and writes one line for each, in the order of the input:
 * `{"request", "response"}`, or `{"request", "error"}` where the line was bad or the service refused it; `request` is
 * the line itself where it made none. A line is written as soon as those before it are, so the other end of a pipe
 * need not be closed. Resolves with the number of lines. Throws `partial` where some failed, `interrupted`, and at
 * once what no further line can survive (no authorisation, no connection).
 */
export async function runBatch<R>(options: BatchOptions<R>): Promise<number> {
  const { out } = options;
  const reading = options.hasEffects ? whileRead(options.world, options.signal) : undefined;
  const signal = reading?.signal ?? options.signal;
  const stopping = new AbortController();
  const stop = AbortSignal.any([signal, stopping.signal]);
  // Every request that waits listens to it.
  setMaxListeners(0, stop);
  let fatal: SvcError | undefined;
  let lines = 0;
  let answered = 0;
  let failed = 0;
  let written: Promise<void> = Promise.resolve();
  const room = new Semaphore(WINDOW);

  const progress = new AbortController();
  if (!options.world.stdout.isTTY) void tellProgress(options, progress.signal, () => answered);
  const patience = () => out.notice('finishing what was sent; Ctrl-C again stops at once');
  signal.addEventListener('abort', patience, { once: true });
  for await (const line of inputLines(await open(options), stop, options.input)) {
    await room.acquire();
    if (stop.aborted) break;
    lines++;
    const result = answerLine(options, line);
    // Written in order: each waits for the one before.
    written = written.then(async () => {
      const { text, error } = await result;
      if (error) failed++;
      if (error && STOPPING.has(error.code)) {
        fatal ??= error;
        stopping.abort();
      }
      await write(options.world.stdout, `${text}\n`);
      answered++;
      room.release();
    });
  }
  await written;
  progress.abort();
  signal.removeEventListener('abort', patience);
  reading?.over();
  if (fatal) {
    out.notice(`stopped after ${lines} ${lines === 1 ? 'line' : 'lines'}: the others would fail alike`);
    throw fatal;
  }
  if (signal.aborted)
    throw new SvcError('interrupted', endedText(reading?.closed() === true, lines), {
      hint: (invocation) =>
        `go on behind them: ${restOf(options.input, lines)} | ${invocation.again('--input', '-')}`,
    });
  if (failed > 0)
    throw new SvcError('partial', `${failed} of ${lines} lines failed`, {
      hint: (invocation) =>
        `OUTPUT, what was printed, says why; to try those again: jq -cr 'select(.error).request' OUTPUT | ${invocation.again('--input', '-')}`,
    });
  return lines;
}

function endedText(closed: boolean, lines: number): string {
  return closed
    ? `standard output was closed; ${lines} lines were sent, and the last answers are lost`
    : `interrupted after ${lines} lines; what was read is answered`;
}

async function tellProgress<R>(
  { out, pacer, world: { clock } }: BatchOptions<R>,
  over: AbortSignal,
  answered: () => number,
): Promise<void> {
  const rest = () =>
    clock.sleep(PROGRESS_MS, over).then(
      () => true,
      () => false,
    );
  for (let before = pacer.heldMs; await rest(); before = pacer.heldMs) {
    const pace = pacer.heldMs > before ? paceOf(pacer, 1) : undefined;
    out.notice(`${answered().toLocaleString('en-US')} lines answered${pace ? `, ${pacedText(pace)}` : ''}`);
  }
}

/** Prints what comes behind the first `lines` of an input that are not blank. */
function restOf(input: string, lines: number): string {
  const tail = shell`tail -n ${`+${lines + 1}`}`;
  return input === '-' ? tail : [`grep -v '^[[:space:]]*$' ${shellPath(input)}`, tail].join(' | ');
}

async function answerLine<R>(
  { read, call, debug }: BatchOptions<R>,
  line: string,
): Promise<{ text: string; error?: SvcError }> {
  let request = JSON.stringify(line);
  try {
    const made = read(line);
    request = JSON.stringify(made);
    const { text } = await call(made);
    return { text: `{"request":${escapeJson(request)},"response":${oneLine(text)}}` };
  } catch (thrown) {
    const error = toSvcError(thrown, debug);
    const words = JSON.stringify(error.toJson(NO_INVOCATION).error);
    return { text: `{"request":${escapeJson(request)},"error":${escapeJson(words)}}`, error };
  }
}

/** The answer as it came, on one line; text that is no JSON becomes a string, nothing becomes null. */
function oneLine(text: string): string {
  if (text.trim() === '') return 'null';
  try {
    JSON.parse(text);
    return escapeJson(text.replace(/[\r\n]/g, ' ').trim());
  } catch {
    return escapeJson(JSON.stringify(text));
  }
}

async function open({
  input,
  world,
}: Pick<BatchOptions<unknown>, 'input' | 'world'>): Promise<NodeJS.ReadableStream> {
  if (input === '-') return world.stdin;
  const path = resolve(world.cwd, input);
  return (await openPipe(path)) ?? createReadStream(path);
}

function write(stream: NodeJS.WritableStream, text: string): Promise<void> {
  if (stream.write(text)) return Promise.resolve();
  return new Promise((done) => {
    const go = () => {
      stream.off('drain', go);
      stream.off('close', go);
      done();
    };
    stream.on('drain', go);
    stream.on('close', go);
  });
}
