import type { Context } from '../../../cli/command/command.ts';
import type { Connection } from '../../../cli/connection/connect.ts';
import type { ExitCode } from '../../../cli/errors/exit-codes.ts';
import { SvcError } from '../../../cli/errors/svc-error.ts';
import type { GlobalFlags } from '../../../cli/flags/global-flags.ts';
import { whileRead } from '../../../cli/input/output-closed.ts';
import { pipesUntil, untilStopped } from '../../../cli/input/stdin.ts';
import { heldBackText, paceOf } from '../../../cli/terminal/pace.ts';
import { GROUP_LIMITS, WINDOW_MS } from '../../../contract/limits.ts';
import { randomFrom } from '../../../kit/random.ts';
import type { ImportOptions } from '../options.ts';
import { leastSeconds, planImport } from '../plan.ts';
import { runImport } from '../run.ts';
import { sendWith } from '../send/client-send.ts';
import { type Answer, type Send, SendFailure } from '../send/send.ts';
import type { RecordKind } from '../transform/record-kind.ts';
import { closedFailure, interruptedImportError, partialImportError, toImportError } from './errors.ts';
import type { ImportFlags } from './flags.ts';
import { dryRunRejects, fitForRejects, importOptions, shareOf } from './options.ts';
import { ProgressView } from './progress.ts';
import { type RecoveryCommands, recoveryCommands } from './recovery-commands.ts';
import { planSummary, summary, zonelessText } from './summary.ts';

export interface ImportCommand {
  readonly kind: RecordKind;
  /** The words of the command, for the one that resumes. */
  readonly command: string;
  /** The words that were typed behind it. */
  readonly typed: readonly string[];
  /** Where the result goes; standard output unless the command prints records there. */
  readonly resultTo?: 'stdout' | 'stderr';
  readonly onAnswer?: (answer: Answer) => void;
}

type ImportContext = Omit<Context, 'args' | 'flags'> & { readonly flags: ImportFlags & GlobalFlags };

/** Runs an import and says how it ended: the result always, a failure as SvcError. */
export async function runImportCommand(context: ImportContext, act: ImportCommand): Promise<ExitCode> {
  const { flags, argv: inputs, world, paths, out } = context;
  if (inputs.length === 0)
    throw new SvcError('usage', 'no input was named', {
      hint: `name a file, or - for standard input: svc ${act.command} FILE`,
    });
  if (inputs.filter((name) => name === '-').length > 1)
    throw new SvcError('usage', 'standard input can be read once', { hint: `svc ${act.command} -` });
  const ways = recoveryCommands(act.command, act.typed);
  let zoneless = 0;
  const place = {
    kind: act.kind,
    inputs,
    cwd: world.cwd,
    dataDir: paths.dataDir,
    resumeCommand: ways.resume,
    onZoneless: () => {
      zoneless++;
    },
  };
  try {
    if (flags.rejects !== undefined) await fitForRejects(flags.rejects, inputs, world.cwd);
    if (flags['dry-run']) return await plan(context, act, place, ways);
    return await run(context, act, place, ways);
  } catch (error) {
    throw toImportError(error, ways, flags.debug);
  } finally {
    if (zoneless > 0) out.notice(zonelessText(zoneless));
  }
}

interface PlaceOfImport {
  readonly kind: RecordKind;
  readonly inputs: readonly string[];
  readonly cwd: string;
  readonly dataDir: string;
  readonly resumeCommand: string;
  readonly onZoneless: () => void;
}

async function run(
  { flags, world, out, signal: interrupted, connect }: ImportContext,
  act: ImportCommand,
  place: PlaceOfImport,
  ways: RecoveryCommands,
): Promise<ExitCode> {
  // Records that go to standard output are read as they come; a result at the end is not missed before.
  const reading = act.resultTo === 'stderr' ? whileRead(world, interrupted) : undefined;
  const signal = reading?.signal ?? interrupted;
  const share = shareOf(flags.share);
  const traffic = { requests: 0, retries: 0, rateLimited: 0 };
  let makeRoom = () => {};
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
      makeRoom();
      out.notice(text);
    },
  });
  const options = optionsFor(flags, place, connection);
  const pacer = connection.pacers.of('ingest');
  const pace = () => paceOf(pacer, share);
  const view = new ProgressView({
    stream: world.stderr,
    clock: world.clock,
    quiet: flags.quiet,
    color: out.colors(world.stderr),
    noun: act.kind,
    pace,
  });
  makeRoom = () => view.clear();
  const say = (text: string) => {
    makeRoom();
    out.warn(text);
  };
  signal.addEventListener(
    'abort',
    () =>
      say(
        reading?.closed()
          ? 'nobody reads standard output any more: finishing what is under way'
          : 'stopping: finishing what is under way; Ctrl-C again stops at once',
      ),
    { once: true },
  );
  try {
    const end = await runImport(options, {
      stdin: untilStopped(world.stdin, signal),
      openPipe: pipesUntil(signal),
      clock: world.clock,
      random: randomFrom(undefined),
      send: counted(sendWith(connection.client, act.kind), traffic),
      traffic: () => ({
        ...traffic,
        rateLimit: pace()?.limit ?? null,
        heldBackMs: Math.round(pacer.heldMs),
      }),
      stop: signal,
      onNotice: say,
      onPlan: (requests) => pacer.expect(requests),
      onProgress: (progress) => view.update(progress),
      onAnswer: act.onAnswer,
    });
    view.end();
    const known = pace();
    const words = () =>
      summary(
        end,
        act.kind,
        known &&
          heldBackText(known, {
            elapsedMs: end.result.elapsedMs,
            batchSize: flags['batch-size'],
            isLocal: connection.isLocal,
          }),
      );
    if (act.resultTo === 'stderr') out.info(out.json ? JSON.stringify(end.result) : words());
    else out.result(end.result, words);
    if (end.interrupted) throw reading?.closed() ? closedFailure(ways) : interruptedImportError(ways);
    if (end.failure) throw end.failure.error;
    if (end.result.rejected > 0) throw partialImportError(end, ways, { ...place, format: flags.format });
    return 0;
  } finally {
    reading?.over();
    view.end();
  }
}

function optionsFor(flags: ImportFlags, place: PlaceOfImport, connection?: Connection): ImportOptions {
  return importOptions(flags, {
    ...place,
    // The port of `local` is another in each process.
    baseUrl: connection ? (connection.isLocal ? 'local' : connection.baseUrl) : '',
    workspace: connection?.workspace ?? '',
  });
}

/** Counts what went out; a request that was stopped while it waited did not. */
function counted(send: Send, traffic: { requests: number }): Send {
  return async (body, key, stop) => {
    traffic.requests++;
    try {
      return await send(body, key, stop);
    } catch (error) {
      if (error instanceof SendFailure && error.neverSent) traffic.requests--;
      throw error;
    }
  };
}

async function plan(
  { flags, world, out, signal, connect }: ImportContext,
  act: ImportCommand,
  place: PlaceOfImport,
  ways: RecoveryCommands,
): Promise<ExitCode> {
  const share = shareOf(flags.share);
  // A plan needs no service; where one is configured, the limit last seen there makes it better.
  const connection = await connect({ share }).catch((error: unknown) => {
    if (error instanceof SvcError && error.code === 'not_configured') return undefined;
    throw error;
  });
  const asked = optionsFor(flags, place, connection);
  const options = { ...asked, rejects: flags.rejects ?? dryRunRejects(asked) };
  const { result, reasons, plan, interrupted } = await planImport(options, {
    stdin: untilStopped(world.stdin, signal),
    openPipe: pipesUntil(signal),
    clock: world.clock,
    stop: signal,
    onNotice: (text) => out.warn(text),
  });
  const seen = connection?.limits.read().find(({ group }) => group === 'ingest');
  const limit = Math.max(1, Math.floor((seen?.limit ?? GROUP_LIMITS.ingest.default) * share));
  const fresh = seen !== undefined && world.clock.now() - seen.seenAt < WINDOW_MS;
  const free = fresh ? Math.min(limit, seen.remaining) : limit;
  const whole = {
    ...plan,
    limit,
    limitSeen: seen !== undefined,
    leastSeconds: Math.ceil(leastSeconds(plan.requests, limit, free, WINDOW_MS)),
  };
  out.result({ dryRun: true, ...result, plan: whole }, () => planSummary(result, reasons, whole, act.kind));
  if (interrupted) throw interruptedImportError(ways);
  if (result.rejected > 0)
    throw partialImportError({ result, reasons, faulty: false }, ways, { ...place, format: flags.format });
  return 0;
}
