import type { RecordKind } from '../../import/check.ts';
import { sendWith } from '../../import/client-send.ts';
import { runImport } from '../../import/run.ts';
import type { Answer } from '../../import/send.ts';
import { randomFrom } from '../../kit/random.ts';
import type { Context } from '../command.ts';
import { SvcError } from '../errors.ts';
import type { ExitCode } from '../exit-codes.ts';
import { importFailure, interruptedFailure, partialFailure } from './failure.ts';
import type { ImportFlags } from './flags.ts';
import { importOptions, resumeCommandOf, shareOf } from './options.ts';
import { summary } from './summary.ts';

export interface ImportAct {
  readonly kind: RecordKind;
  /** The words of the command, for the one that resumes. */
  readonly command: string;
  /** The words that were typed behind it. */
  readonly typed: readonly string[];
  readonly onAnswer?: (answer: Answer) => void;
}

/** Runs an import and says how it ended: the result on stdout always, a failure as SvcError. */
export async function actImport(
  { flags, argv: inputs, world, out, paths, signal, connect }: Context & { flags: ImportFlags },
  act: ImportAct,
): Promise<ExitCode> {
  if (inputs.length === 0)
    throw new SvcError('usage', 'no input was named', {
      hint: `name a file, or - for standard input: svc ${act.command} FILE`,
    });
  if (inputs.filter((name) => name === '-').length > 1)
    throw new SvcError('usage', 'standard input can be read once', { hint: `svc ${act.command} -` });
  shareOf(flags.share);
  const resume = resumeCommandOf(act.command, act.typed);
  const ways = { resume, restart: resume.replace(/ --resume$/, ' --restart') };
  try {
    const connection = await connect();
    const { baseUrl, workspace, isLocal } = connection;
    const options = importOptions(flags, {
      kind: act.kind,
      inputs,
      cwd: world.cwd,
      // The port of `local` is another in each process.
      baseUrl: isLocal ? 'local' : baseUrl,
      workspace,
      dataDir: paths.dataDir,
      resumeCommand: resume,
    });
    let requests = 0;
    const send = sendWith(connection.client, act.kind);
    const end = await runImport(options, {
      stdin: world.stdin as AsyncIterable<Uint8Array>,
      clock: world.clock,
      random: randomFrom(undefined),
      send: (body, key, stop) => {
        requests++;
        return send(body, key, stop);
      },
      traffic: () => ({ requests, retries: 0, rateLimited: 0 }),
      stop: signal,
      onNotice: (text) => out.warn(text),
      onAnswer: act.onAnswer,
    });
    out.result(end.result, () => summary(end.result, act.kind));
    if (end.failure) throw end.failure.error;
    if (end.interrupted) throw interruptedFailure(ways);
    if (end.result.rejected > 0) throw partialFailure(end, ways);
    return 0;
  } catch (error) {
    throw importFailure(error, ways, flags.debug);
  }
}
