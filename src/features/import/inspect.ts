import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Context } from '../../cli/command/command.ts';
import { EXIT, type ExitCode } from '../../cli/errors/exit-codes.ts';
import { fileError } from '../../cli/errors/file-error.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import type { GlobalFlags } from '../../cli/flags/global-flags.ts';
import { pipesUntil, untilStopped } from '../../cli/input/stdin.ts';
import { maskUrl } from '../../kit/mask-url.ts';
import { randomFrom } from '../../kit/random.ts';
import { downloadAll } from './download/addresses.ts';
import { namedInputs } from './download/named-inputs.ts';
import type { Findings } from './guess/findings.ts';
import { wordsOfFlags } from './guess/flag.ts';
import { tablesApart } from './guess/tables-apart.ts';
import { documentOf } from './mapping-file/flags.ts';
import { withMappingFile } from './mapping-file/mapping-flags.ts';
import type { MappingFlags } from './option-table/flags.ts';
import { withFlags } from './option-table/suggested-flags.ts';
import { mappingOf, readingOf } from './option-table/table.ts';
import { toImportError } from './report/errors.ts';
import { extentOf } from './report/extent.ts';
import { inspectionText } from './report/inspect-view.ts';
import { inspectionOf } from './report/inspection.ts';
import { recoveryCommands } from './report/recovery-commands.ts';
import { examine } from './run/examine.ts';
import { Inputs } from './run/inputs.ts';
import type { ReadThrough } from './run/read-through.ts';

type InspectContext = Pick<Context, 'argv' | 'world' | 'paths' | 'out' | 'signal' | 'version'> & {
  readonly flags: MappingFlags & GlobalFlags & { readonly save?: string | undefined };
};

/** Describes the inputs and prints the command that imports them. */
export async function runInspect(
  { flags: given, argv, world, paths, out, signal, version }: InspectContext,
  typedWords: readonly string[],
): Promise<ExitCode> {
  const typed = typedWords.map(maskUrl);
  const { names, addresses } = namedInputs(argv);
  if (names.length === 0)
    throw new SvcError('usage', 'no input was given', {
      hint: 'name a file, or - for standard input: svc events inspect FILE',
    });
  const recovery = recoveryCommands('events import', typed);
  const flags = withMappingFile(given, world.cwd);
  try {
    const downloads = await downloadAll(addresses, {
      ...{ dataDir: paths.dataDir, version, world, signal, isResumed: false },
      random: randomFrom(undefined),
      quiet: flags.quiet,
      onNotice: (text) => out.warn(text),
    });
    const { findings, through } = await examine({
      names,
      cwd: world.cwd,
      flags,
      open: (used, first) => {
        const onNotice = (text: string) => {
          if (first) out.warn(text);
        };
        return Inputs.open({
          ...{ names, downloads },
          cwd: world.cwd,
          stdin: untilStopped(world.stdin, signal),
          openPipe: pipesUntil(signal),
          reading: readingOf(used),
          mapping: mappingOf('events', flags, undefined),
          shard: undefined,
          stop: signal,
          onNotice,
          onSampleNotice: onNotice,
        });
      },
      world: { clock: world.clock, stop: signal },
    });
    const { suggestion } = findings;
    const apart = findings.problem === undefined ? undefined : tablesApart(findings.samples);
    const command = recovery.without(INSPECT_ONLY, wordsOfFlags(findings.suggestion.flags));
    const rejections = rejectionsOf(findings, through);
    const isRejected =
      rejections !== undefined && rejections.read > 0 && rejections.rejected === rejections.read;
    // A command that is pasted should import something.
    const inspection = inspectionOf(
      findings,
      extentOf(findings, through),
      isRejected || apart ? '' : command,
    );
    out.result(inspection, () =>
      inspectionText(inspection, findings, rejections, {
        apart,
        width: out.columns,
        color: out.colors(world.stdout),
      }),
    );
    if (given.save !== undefined) {
      save(given.save, withFlags(withPresentIds(flags, findings), suggestion.flags), world.cwd);
      out.notice(`wrote ${given.save}, for --mapping`);
    }
    return EXIT.done;
  } catch (error) {
    throw toImportError(error, recoveryCommands('events inspect', typed, names), flags.debug);
  }
}

/** Flags of `events inspect` that `events import` lacks, or that should not be repeated. */
const INSPECT_ONLY = ['save', 'json'];

/** Without the rule of a source for ids if the table lacks its columns: only in a source they may be missing. */
function withPresentIds<T extends MappingFlags>(flags: T, { header, suggestion }: Findings): T {
  const absent = flags.sourceIds && header && suggestion.eventId === undefined;
  return absent ? { ...flags, map: flags.map?.filter((rule) => !rule.startsWith('eventId=')) } : flags;
}

function rejectionsOf({ check }: Findings, through: ReadThrough | undefined) {
  return through ?? (check && { ...check, read: check.records });
}

/** Writes the mapping that stands for flags. Throws a `file` error. */
function save(path: string, flags: MappingFlags, cwd: string): void {
  try {
    writeFileSync(resolve(cwd, path), `${JSON.stringify(documentOf({ ...flags }), null, 2)}\n`);
  } catch (error) {
    throw fileError(path, error, 'write');
  }
}
