import { setMaxListeners } from 'node:events';
import { TransportError } from '../../client/errors.ts';
import type { Pacer } from '../../client/pacer/pacer.ts';
import { LineTooLong } from '../../kit/lines.ts';
import { Semaphore } from '../../kit/semaphore.ts';
import { shell, shellPath } from '../../kit/shell.ts';
import { SvcError } from '../errors/svc-error.ts';
import { toSvcError } from '../errors/to-svc-error.ts';
import type { Invocation } from '../invocation/invocation.ts';
import type { Output } from '../terminal/output.ts';
import { pacedText, paceOf } from '../terminal/pace.ts';
import { escapeJson } from '../terminal/sanitize.ts';
import type { World } from '../terminal/world.ts';
import { type Failure, failedLines, IN_DOUBT } from './failed-lines.ts';
import { inputLines } from './input-lines.ts';
import { stopWhenOutputCloses } from './output-closed.ts';

/** The response to one request: its body as text. */
interface BatchAnswer {
  readonly text: string;
}

export interface BatchOptions<R> {
  /** A path, or `-` for standard input. */
  readonly input: string;
  readonly world: Pick<World, 'stdin' | 'stdout' | 'cwd' | 'clock' | 'onOutputClosed'>;
  readonly out: Output;
  /** The pacer of the requests' rate-limit group, to report throttling. */
  readonly pacer: Pacer;
  /** How to lift the limit; printed as soon as it delays the requests. */
  readonly lift?: string | undefined;
  /** Stops reading; requests that wait for the limit are not sent, and those that were sent are awaited. */
  readonly signal: AbortSignal;
  readonly debug: boolean;
  /** The command line, for the hints of the lines. */
  readonly invocation: Invocation;
  /** Requests have side effects: a closed standard output is then reported as an interruption. */
  readonly hasEffects?: boolean;
  /** Parses a line, which is trimmed and not blank, into a request. Throws SvcError for an invalid line. */
  readonly read: (line: string) => R;
  /**
   * Sends one request, and calls `onAccepted` once the service has accepted it, if it can fail after that. Requests run
   * concurrently; the client paces them. `waiting` ends those that wait for the limit.
   */
  readonly call: (request: R, onAccepted: () => void, waiting: AbortSignal) => Promise<BatchAnswer>;
}

/** The interval of progress notices on stderr, where the results do not go to a terminal. */
const PROGRESS_MS = 10_000;
/** How long the limit has to delay requests until a notice says so, and how often that is looked at. */
const PACING_MS = 500;

/** Maximum length of a line, in characters; far above any request. */
const MAX_LINE = 1024 * 1024;

/** Maximum number of requests that are pending or waiting for an earlier result to be written. */
const WINDOW = 32;

/** Errors that every further line would cause too. */
const FATAL = new Set(['unauthorized', 'forbidden', 'unreachable', 'not_configured']);

/**
 * Sends a request for each line of the input and writes a result line for each, in input order:
 * `{"request", "response"}`, or `{"request", "error"}` for an invalid line or a failed request; `request` is the line
 * itself where it could not be parsed. A failed request with side effects also has `"accepted"`: true, false, or null
 * where it is not known. Results are written as soon as they are complete, also while the input is open.
 * Resolves with the number of lines. Throws `partial` where some failed, and where the input ends early, by a line that
 * is too long or a failed read; `interrupted`; and an error that every further line would cause too (no authorization, no
 * connection). Whatever it throws, the results of all requests that were sent are written first.
 */
export async function runBatch<R>(options: BatchOptions<R>): Promise<number> {
  const { out } = options;
  const reading = options.hasEffects ? stopWhenOutputCloses(options.world, options.signal) : undefined;
  const signal = reading?.signal ?? options.signal;
  const stopping = new AbortController();
  const stop = AbortSignal.any([signal, stopping.signal]);
  // Each pending request adds a listener.
  setMaxListeners(0, stop);
  let fatal: SvcError | undefined;
  let unreadable: SvcError | undefined;
  let lines = 0;
  /** The number of the last line that was sent, blank lines included. */
  let last = 0;
  let answered = 0;
  const failures: Failure[] = [];
  let written: Promise<void> = Promise.resolve();
  /** Lines of which nothing was sent when it was stopped. They count as not read, unless a later one was sent. */
  const unsent: { readonly result: LineResult; readonly number: number }[] = [];
  const record = async ({ text, failure }: LineResult) => {
    if (failure) failures.push(failure);
    await write(options.world.stdout, `${text}\n`);
    answered++;
  };
  const room = new Semaphore(WINDOW);

  const progress = new AbortController();
  if (!options.world.stdout.isTTY) void reportProgress(options, progress.signal, () => answered);
  void reportPacing(options, progress.signal);
  const notifyStopping = () => out.notice('waiting for pending requests; press Ctrl-C again to stop at once');
  signal.addEventListener('abort', notifyStopping, { once: true });
  try {
    for await (const { text: line, number } of requestLines(options, stop)) {
      await room.acquire();
      if (stop.aborted) break;
      lines++;
      last = number;
      const answering = answerLine(options, line, stop);
      // Results are written in input order.
      written = written.then(async () => {
        const result = await answering;
        const { failure } = result;
        if (failure && FATAL.has(failure.error.code)) {
          fatal ??= failure.error;
          stopping.abort();
        }
        if (result.state === 'unsent' || (unsent.length > 0 && result.state === 'invalid'))
          unsent.push({ result, number });
        else {
          for (const before of unsent.splice(0)) await record(before.result);
          await record(result);
        }
        room.release();
      });
    }
  } catch (error) {
    // Only reading throws. Thrown at once, it would lose the results of pending requests.
    unreadable = toSvcError(error, options.debug);
  }
  await written;
  if (unsent.length > 0) {
    lines -= unsent.length;
    last = unsent[0]!.number - 1;
  }
  progress.abort();
  signal.removeEventListener('abort', notifyStopping);
  reading?.dispose();
  if (fatal) {
    out.notice(
      `stopped after ${lines} ${lines === 1 ? 'line' : 'lines'}: the remaining lines would fail for the same reason`,
    );
    throw fatal;
  }
  if (signal.aborted)
    throw new SvcError('interrupted', endedText(reading?.closed() === true, lines), {
      hint: (invocation) =>
        `continue after them: ${restOf(options.input, last)} | ${invocation.rerunWith('--input', '-')}`,
    });
  if (unreadable)
    throw lines === 0
      ? unreadable
      : endedEarly(options.input, unreadable, { lines, failed: failures.length, last });
  if (failures.length > 0) throw failedLines(failures, lines, options.hasEffects === true);
  return lines;
}

/** A line of the input that is longer than MAX_LINE; the lines before it were read. */
class OverlongLine extends SvcError {
  /** Of the line, from 1, blank lines included. */
  readonly number: number;

  constructor(number: number) {
    super('file', `line ${number} of the input is longer than 1 MiB`, {
      hint: 'give one request or one hashId per line',
    });
    this.number = number;
  }
}

/** Reads the lines with their numbers, without surrounding white space, and skips blank ones. Throws `file`. */
async function* requestLines(
  { input, world }: Pick<BatchOptions<unknown>, 'input' | 'world'>,
  stop: AbortSignal,
): AsyncGenerator<{ readonly text: string; readonly number: number }> {
  let number = 0;
  try {
    for await (const line of inputLines(
      { file: input, cwd: world.cwd, stdin: world.stdin },
      stop,
      MAX_LINE,
    )) {
      number++;
      const text = line.trim();
      if (text !== '') yield { text, number };
    }
  } catch (error) {
    throw error instanceof LineTooLong ? new OverlongLine(number + 1) : error;
  }
}

/** The error for an input that could not be read to its end after some of its lines were sent. */
function endedEarly(
  input: string,
  error: SvcError,
  { lines, failed, last }: { readonly lines: number; readonly failed: number; readonly last: number },
): SvcError {
  const done = `lines up to ${last} are answered (${lines} requests, ${failed} failed), no later one was sent`;
  return new SvcError('partial', `${error.message}; ${done}`, {
    hint: (invocation) => {
      const rest = (from: number) => `${restOf(input, from)} | ${invocation.rerunWith('--input', '-')}`;
      return error instanceof OverlongLine
        ? `shorten line ${error.number}, then continue after line ${last}: ${rest(last)}\nor leave it out: ${rest(error.number)}`
        : `continue after line ${last}: ${rest(last)}`;
    },
    cause: error,
  });
}

function endedText(closed: boolean, lines: number): string {
  return closed
    ? `standard output was closed; ${lines} lines were sent, and the last answers are lost`
    : `interrupted after ${lines} lines; all of them are answered`;
}

/** Says once that the limit delays the requests, and how to lift it. */
async function reportPacing<R>(
  { out, pacer, lift, world: { clock } }: BatchOptions<R>,
  over: AbortSignal,
): Promise<void> {
  const before = pacer.throttledMs;
  while (await slept(clock, PACING_MS, over)) {
    const pace = pacer.throttledMs - before >= PACING_MS ? paceOf(pacer, 1) : undefined;
    if (pace) return out.notice(`${pacedText(pace)}${lift ? `; ${lift}` : ''}`);
  }
}

async function reportProgress<R>(
  { out, pacer, world: { clock } }: BatchOptions<R>,
  over: AbortSignal,
  answered: () => number,
): Promise<void> {
  for (let before = pacer.throttledMs; await slept(clock, PROGRESS_MS, over); before = pacer.throttledMs) {
    const pace = pacer.throttledMs > before ? paceOf(pacer, 1) : undefined;
    out.notice(`${answered().toLocaleString('en-US')} lines answered${pace ? `, ${pacedText(pace)}` : ''}`);
  }
}

/** Resolves to true after `ms`, or to false as soon as `over` fires. */
const slept = (clock: World['clock'], ms: number, over: AbortSignal) =>
  clock.sleep(ms, over).then(
    () => true,
    () => false,
  );

/** Returns a shell command that prints what follows the line of this number. */
function restOf(input: string, last: number): string {
  const tail = shell`tail -n ${`+${last + 1}`}`;
  return input === '-' ? tail : `${tail} ${shellPath(input)}`;
}

/** What became of a line: `invalid` and `unsent` had no request. */
interface LineResult {
  readonly text: string;
  readonly failure?: Failure;
  readonly state: 'sent' | 'invalid' | 'unsent';
}

async function answerLine<R>(
  { read, call, debug, hasEffects, invocation }: BatchOptions<R>,
  line: string,
  waiting: AbortSignal,
): Promise<LineResult> {
  let request = JSON.stringify(line);
  let accepted = false;
  let state: LineResult['state'] = 'invalid';
  try {
    const made = read(line);
    request = JSON.stringify(made);
    state = 'sent';
    const { text } = await call(
      made,
      () => {
        accepted = true;
      },
      waiting,
    );
    return { state, text: `{"request":${escapeJson(request)},"response":${oneLine(text)}}` };
  } catch (thrown) {
    if (thrown instanceof TransportError && thrown.reason === 'aborted' && !thrown.sent) state = 'unsent';
    const error = toSvcError(thrown, debug);
    const inDoubt = state !== 'unsent' && IN_DOUBT.has(error.code);
    const failure: Failure = { error, accepted: accepted || (inDoubt ? null : false) };
    const words = JSON.stringify(error.toJson(invocation.ofLine()).error);
    const mark = hasEffects ? `,"accepted":${failure.accepted}` : '';
    return { state, text: `{"request":${escapeJson(request)}${mark},"error":${escapeJson(words)}}`, failure };
  }
}

/** Returns a response body as one line of JSON; other text becomes a string, an empty body null. */
function oneLine(text: string): string {
  if (text.trim() === '') return 'null';
  try {
    JSON.parse(text);
    return escapeJson(text.replace(/[\r\n]/g, ' ').trim());
  } catch {
    return escapeJson(JSON.stringify(text));
  }
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
