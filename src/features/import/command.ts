import { resolve } from 'node:path';
import type { Context } from '../../cli/command/command.ts';
import type { Connection } from '../../cli/connection/connect.ts';
import { EXIT, type ExitCode } from '../../cli/errors/exit-codes.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import type { GlobalFlags } from '../../cli/flags/global-flags.ts';
import { stopWhenOutputCloses } from '../../cli/input/output-closed.ts';
import { pipesUntil, untilStopped } from '../../cli/input/stdin.ts';
import { paceOf, throttledText } from '../../cli/terminal/pace.ts';
import type { Text } from '../../cli/terminal/text.ts';
import { GROUP_LIMITS, UNLIMITED, WINDOW_MS } from '../../contract/limits.ts';
import { maskUrl } from '../../kit/mask-url.ts';
import { randomFrom } from '../../kit/random.ts';
import { shell } from '../../kit/shell.ts';
import { answersOf } from './deliver/answers-of.ts';
import { sendWith } from './deliver/client-send.ts';
import { RejectsTaken } from './deliver/import-refused.ts';
import { unfinishedIn } from './deliver/journal/read-journal.ts';
import { RejectsClaim } from './deliver/rejects-claim.ts';
import { type Answer, type Send, SendFailure } from './deliver/send.ts';
import { declaresEventIds } from './deliver/takes-event-ids.ts';
import { namedInputs } from './download/named-inputs.ts';
import { PreflightFailed } from './guess/check-sample.ts';
import type { Downloads } from './input/downloads.ts';
import { withMappingFile } from './mapping-file/mapping-flags.ts';
import type { ImportFlags } from './option-table/flags.ts';
import { dryRunRejects, importOptions, type Place, shareOf, type Target } from './options.ts';
import { Reasons } from './record/reasons.ts';
import type { RecordKind } from './record/record-kind.ts';
import { interruptedImportError, interruptedPlanError, toImportError } from './report/errors.ts';
import { partialImportError } from './report/partial-import-error.ts';
import { reportPreflight } from './report/preflight.ts';
import { ProgressView } from './report/progress.ts';
import { type RecoveryCommands, recoveryCommands } from './report/recovery-commands.ts';
import type { ImportEnd } from './report/result.ts';
import { planSummary, summary, zonelessText } from './report/summary.ts';
import { outageOf, runImport } from './run/import.ts';
import type { ImportOptions } from './run/options.ts';
import { leastSeconds, planImport } from './run/plan.ts';
import { checkRejectsPath, withoutRejects } from './run/rejects-path.ts';

export interface ImportCommand {
  readonly kind: RecordKind;
  /** The words of the command, for the recovery commands. */
  readonly command: string;
  /** The words that were typed after it. */
  readonly typed: readonly string[];
  /** Where the result is printed: standard error if the command prints records on standard output. */
  readonly resultTo?: 'stdout' | 'stderr';
  readonly onAnswer?: (answer: Answer) => void;
}

type ImportContext = Pick<
  Context,
  'argv' | 'world' | 'paths' | 'out' | 'signal' | 'connect' | 'invocation' | 'version'
> & {
  readonly flags: ImportFlags & GlobalFlags;
};

/** Runs an import and prints its result. Throws an SvcError if it failed. */
export async function runImportCommand(context: ImportContext, command: ImportCommand): Promise<ExitCode> {
  const { world, paths, out } = context;
  const flags = withMappingFile(context.flags, world.cwd);
  const { names: typedInputs, addresses } = namedInputs(context.argv);
  if (typedInputs.length === 0)
    throw new SvcError('usage', 'no input was given', {
      hint: `name a file, or - for standard input: svc ${command.command} FILE`,
    });
  if (typedInputs.filter((name) => name === '-').length > 1)
    throw new SvcError('usage', 'standard input can be read only once', { hint: `svc ${command.command} -` });
  const recovery = recoveryCommands(command.command, command.typed.map(maskUrl), context.argv.map(maskUrl));
  const inputs = await withoutRejects(typedInputs, world.cwd, (text) => out.warn(text));
  let zoneless = 0;
  const place = {
    kind: command.kind,
    inputs,
    cwd: world.cwd,
    dataDir: paths.dataDir,
    resumeCommand: recovery.resume,
    onZoneless: () => {
      zoneless++;
    },
    plan: await planOf(flags.plan, command, world),
  };
  // A wrong flag is refused before anything is connected.
  const parsed = { place, optionsAt: importOptions(flags, place), recovery, addresses };
  try {
    await checkRejectsPath(flags.rejects, inputs, world.cwd, recovery);
    if (flags['dry-run']) return await plan({ ...context, flags }, command, parsed);
    return await run({ ...context, flags }, command, parsed);
  } catch (error) {
    if (!(error instanceof PreflightFailed)) throw toImportError(error, recovery, flags.debug);
    const stopped = reportPreflight(error, { kind: command.kind, flags, recovery }, { out, world });
    const end = { result: stopped.result, reasons: new Reasons(), unread: true };
    printResult(out, command, end, () => summary(end, command.kind));
    throw stopped.error;
  } finally {
    if (zoneless > 0) out.notice(zonelessText(zoneless));
  }
}

/** The plan of `--plan`. Throws a `file` or `usage` error. */
async function planOf(file: string | undefined, { kind, command }: ImportCommand, world: Context['world']) {
  if (file === undefined) return undefined;
  // It loads the schema of the catalog.
  if (kind === 'events') return (await import('../catalog/event-plan-file.ts')).readEventPlan(file, world);
  throw new SvcError('usage', '--plan is about events', { hint: `svc ${command} FILE, without --plan` });
}

/** Prints the result on the stream of the command, under --quiet on standard output only. */
function printResult(
  out: Context['out'],
  { resultTo }: ImportCommand,
  { result }: Pick<ImportEnd, 'result'>,
  words: () => Text,
): void {
  if (resultTo !== 'stderr') out.result(result, words);
  else if (!out.quiet) out.info(out.json ? JSON.stringify(result) : words());
}

/** What the two ways to run an import need. */
interface Parsed {
  readonly place: Place;
  readonly optionsAt: (target: Target) => ImportOptions;
  readonly recovery: RecoveryCommands;
  readonly addresses: ReadonlyMap<string, URL>;
}

async function run(
  context: ImportContext,
  command: ImportCommand,
  { place, optionsAt, recovery, addresses }: Parsed,
): Promise<ExitCode> {
  const { flags, world, out, signal: interrupted, connect, invocation } = context;
  // If records are printed, stop when standard output is closed. A result at the end needs no such check.
  const reading = command.resultTo === 'stderr' ? stopWhenOutputCloses(world, interrupted) : undefined;
  const signal = reading?.signal ?? interrupted;
  const share = shareOf(flags.share);
  const traffic = { requests: 0, retries: 0, rateLimited: 0 };
  let clearProgress = () => {};
  const connection = await connect({
    lasting: true,
    share,
    onRetry: () => {
      traffic.retries++;
      traffic.requests++;
    },
    onAnswer: (status) => {
      if (status === 429) traffic.rateLimited++;
    },
    onNotice: (text) => {
      clearProgress();
      out.notice(text);
    },
  });
  const named = optionsAt(targetOf(connection));
  const isResumed = named.mode === 'resume' && unfinishedIn(named.journal) !== undefined;
  const options = { ...named, downloads: await downloadInputs(addresses, context, isResumed) };
  const pacer = connection.pacers.of('ingest');
  const pace = () => paceOf(pacer, share);
  const view = new ProgressView({
    stream: world.stderr,
    clock: world.clock,
    quiet: flags.quiet,
    color: out.colors(world.stderr),
    noun: command.kind,
    pace,
  });
  clearProgress = () => view.clear();
  const say = (text: string) => {
    clearProgress();
    out.warn(text);
  };
  signal.addEventListener(
    'abort',
    () => {
      // The reader has what it wanted: the result says what was sent.
      if (!reading?.closed())
        say('stopping: finishing requests in progress; press Ctrl-C again to stop at once');
    },
    { once: true },
  );
  try {
    const random = randomFrom(undefined);
    const common = { clock: world.clock, random, onNotice: say };
    const end = await runImport(options, {
      ...common,
      stdin: untilStopped(world.stdin, signal),
      openPipe: pipesUntil(signal),
      send: counted(sendWith(connection.client, command.kind, answersOf(connection, flags)), traffic),
      takesEventIds: connection.eventIds
        ? undefined
        : async () => {
            const takes = await declaresEventIds(connection.client, outageOf(options, common), signal);
            if (!takes) say(undeclaredText(connection));
            return takes;
          },
      traffic: () => ({
        ...traffic,
        rateLimit: pace()?.limit ?? null,
        heldBackMs: Math.round(pacer.throttledMs),
      }),
      stop: signal,
      onPlan: (requests) => pacer.expect(requests),
      onProgress: (progress) => view.update(progress),
      onAnswer: command.onAnswer,
    });
    view.end();
    const known = pace();
    const words = () =>
      summary(
        end,
        command.kind,
        known &&
          throttledText(known, {
            elapsedMs: end.result.elapsedMs,
            batchSize: flags['batch-size'],
            isLocal: connection.isLocal,
            limitsCommand: invocation.onSameService('limits'),
          }),
      );
    printResult(out, command, end, words);
    if (end.interrupted && reading?.closed()) return EXIT.interrupted;
    if (end.interrupted) throw interruptedImportError(recovery);
    if (end.failure) throw end.failure.error;
    if (end.result.rejected > 0) throw partialImportError(end, recovery, place.inputs);
    return 0;
  } finally {
    reading?.dispose();
    view.end();
  }
}

/** Says that event ids are not sent, and how they are. */
function undeclaredText({ baseUrl, profile }: Connection): string {
  return (
    `eventId is left out: ${new URL(baseUrl).origin} does not declare that it takes it; if it does: ` +
    shell`svc profiles add ${profile ?? 'NAME'} --event-ids`
  );
}

/** Downloads the addresses among the inputs. `isResumed`: with what an unfinished import has read. */
async function downloadInputs(
  addresses: ReadonlyMap<string, URL>,
  { flags, world, paths, out, signal, version }: ImportContext,
  isResumed: boolean,
): Promise<Downloads> {
  if (addresses.size === 0) return new Map();
  const { downloadAll } = await import('./download/addresses.ts');
  return downloadAll(addresses, {
    ...{ dataDir: paths.dataDir, version, world, signal, isResumed },
    random: randomFrom(undefined),
    quiet: flags.quiet,
    onNotice: (text) => out.warn(text),
  });
}

function targetOf(connection: Connection | undefined): Target {
  if (!connection) return { baseUrl: '', workspace: '' };
  const { isLocal, baseUrl, workspace } = connection;
  // `local` has a different port in each process.
  return { baseUrl: isLocal ? 'local' : baseUrl, workspace };
}

/** Counts the requests that were sent, without those that were stopped while they waited. */
function counted(send: Send, traffic: { requests: number }): Send {
  return async (body, key, stop, count, run) => {
    traffic.requests++;
    try {
      return await send(body, key, stop, count, run);
    } catch (error) {
      if (error instanceof SendFailure && error.neverSent) traffic.requests--;
      throw error;
    }
  };
}

async function plan(
  context: ImportContext,
  command: ImportCommand,
  { place, optionsAt, recovery, addresses }: Parsed,
): Promise<ExitCode> {
  const { flags, world, out, signal, connect } = context;
  const share = shareOf(flags.share);
  // A plan needs no service. If one is configured, its last known limit makes the plan more precise.
  const connection = await connect({ share }).catch((error: unknown) => {
    if (error instanceof SvcError && error.code === 'not_configured') return undefined;
    throw error;
  });
  const asked = optionsAt(targetOf(connection));
  const rejects = flags.rejects ?? dryRunRejects(asked);
  const options = { ...asked, rejects, downloads: await downloadInputs(addresses, context, false) };
  if (flags.rejects !== undefined && RejectsClaim.isHeld(options.claims, resolve(world.cwd, flags.rejects)))
    throw new RejectsTaken(flags.rejects, 'ended', []);
  const { result, reasons, factsOf, plan, interrupted } = await planImport(options, {
    stdin: untilStopped(world.stdin, signal),
    openPipe: pipesUntil(signal),
    clock: world.clock,
    stop: signal,
    onNotice: (text) => out.warn(text),
  });
  const seen = connection?.limits.read().find(({ group }) => group === 'ingest');
  const whole = seen?.limit ?? GROUP_LIMITS.ingest.default;
  const limit = whole === UNLIMITED ? UNLIMITED : Math.max(1, Math.floor(whole * share));
  const fresh = seen !== undefined && world.clock.now() - seen.seenAt < WINDOW_MS;
  const free = fresh ? Math.min(limit, seen.remaining) : limit;
  const complete = {
    ...plan,
    limit,
    limitSeen: seen !== undefined,
    leastSeconds: Math.ceil(leastSeconds(plan.requests, limit, free, WINDOW_MS)),
  };
  out.result({ dryRun: true, ...result, plan: complete }, () =>
    planSummary(result, reasons, complete, command.kind),
  );
  if (interrupted) throw interruptedPlanError();
  if (result.rejected > 0)
    throw partialImportError({ result, reasons, factsOf, tooManyErrors: false }, recovery, place.inputs);
  return 0;
}
