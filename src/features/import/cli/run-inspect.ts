import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Context } from '../../../cli/command/command.ts';
import { EXIT, type ExitCode } from '../../../cli/errors/exit-codes.ts';
import { fileError } from '../../../cli/errors/file-error.ts';
import { SvcError } from '../../../cli/errors/svc-error.ts';
import type { GlobalFlags } from '../../../cli/flags/global-flags.ts';
import { pipesUntil, untilStopped } from '../../../cli/input/stdin.ts';
import { shell } from '../../../kit/shell.ts';
import { type Findings, findingsOf } from '../inspect/findings.ts';
import { type Flag, wordsOfFlags } from '../inspect/flag.ts';
import { headerIsData } from '../inspect/header.ts';
import { inspectionOf } from '../inspect/inspection.ts';
import { type ReadThrough, readThrough } from '../inspect/read-through.ts';
import { documentOf } from '../mapping-file/flags.ts';
import { readSamples } from '../prepare.ts';
import type { Format } from '../read/detect.ts';
import { Inputs } from '../read/inputs.ts';
import { InputError } from '../transform/input-error.ts';
import { toImportError } from './errors.ts';
import { extentOf } from './extent.ts';
import type { MappingFlags } from './flags.ts';
import { inspectionText } from './inspect-view.ts';
import { withMappingFile } from './mapping-flags.ts';
import { mappingOf } from './mapping-options.ts';
import { readingOf } from './reading-options.ts';
import { recoveryCommands } from './recovery-commands.ts';
import { withFlags } from './suggested-flags.ts';

/** How long a pipe is waited for. */
const PIPE_WAIT_MS = 5000;

type InspectContext = Pick<Context, 'argv' | 'world' | 'out' | 'signal'> & {
  readonly flags: MappingFlags & GlobalFlags & { readonly save?: string | undefined };
};

/** Describes the inputs and prints the command that imports them. */
export async function runInspect(
  { flags: given, argv: names, world, out, signal }: InspectContext,
  typed: readonly string[],
): Promise<ExitCode> {
  if (names.length === 0)
    throw new SvcError('usage', 'no input was given', {
      hint: 'name a file, or - for standard input: svc events inspect FILE',
    });
  const recovery = recoveryCommands('events import', typed);
  const flags = withMappingFile(given, world.cwd);
  try {
    const mapping = mappingOf('events', flags, undefined);
    const open = (used: MappingFlags, onNotice: (text: string) => void) =>
      Inputs.open({
        names,
        cwd: world.cwd,
        kind: 'events',
        stdin: untilStopped(world.stdin, signal),
        openPipe: pipesUntil(signal),
        format: used.format as Format | undefined,
        reading: readingOf(used),
        mapping,
        part: undefined,
        onNotice,
      });
    const inputs = await open(flags, (text) => out.warn(text));
    try {
      const samples = await readSamples(inputs, PIPE_WAIT_MS, { clock: world.clock, stop: signal });
      if (
        samples.every(
          ({ records, header }) => records === 0 && !(header && headerIsData(header, [], 'events')),
        )
      )
        throw new InputError(
          `${names.join(', ')} has ${samples.some(({ header }) => header) ? 'a header and no rows' : 'no records'}.`,
          shell`ls -l ${names[0] ?? '-'}`,
        );
      const mappingWith = (more: readonly Flag[]) => mappingOf('events', withFlags(flags, more), undefined);
      const findings = findingsOf(samples, mapping, mappingWith, flags.columns !== undefined);
      const { suggestion, trial, types, check } = findings;
      const isFile = inputs.opened.every(({ fingerprint }) => fingerprint !== null);
      const through =
        check && isFile
          ? await readThrough(
              () => open(withFlags(flags, trial), () => undefined),
              { ...mappingWith(trial), columnTypes: types },
              signal,
            )
          : undefined;
      const command = recovery.without(INSPECT_ONLY, wordsOfFlags(findings.suggestion.flags));
      const inspection = inspectionOf(findings, extentOf(findings, through), command);
      out.result(inspection, () =>
        inspectionText(inspection, findings, rejectionsOf(findings, through), {
          width: out.columns,
          color: out.colors(world.stdout),
        }),
      );
      if (given.save !== undefined) {
        save(given.save, withFlags(flags, suggestion.flags), world.cwd);
        out.notice(`wrote ${given.save}, for --mapping`);
      }
      return EXIT.done;
    } finally {
      await inputs.close();
    }
  } catch (error) {
    throw toImportError(error, recoveryCommands('events inspect', typed), flags.debug);
  }
}

/** Flags of `events inspect` that `events import` lacks, or that should not be repeated. */
const INSPECT_ONLY = ['save', 'json'];

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
