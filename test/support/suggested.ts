import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ambiguityNote } from '../../src/features/import/guess/ambiguity.ts';
import { wordsOfFlags } from '../../src/features/import/guess/flag.ts';
import type { MappingFlags } from '../../src/features/import/option-table/flags.ts';
import { mappingOf, readingOf } from '../../src/features/import/option-table/table.ts';
import { extentOf } from '../../src/features/import/report/extent.ts';
import { type Inspection, inspectionOf } from '../../src/features/import/report/inspection.ts';
import { examine } from '../../src/features/import/run/examine.ts';
import { Inputs } from '../../src/features/import/run/inputs.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { commandLine } from '../../src/kit/shell.ts';
import { tempDir } from './temp.ts';

/** What `events inspect` finds in a file: the document, the flags it suggests, and how it explains placeholders. */
export interface Suggested {
  readonly inspection: Inspection;
  readonly flags: string;
  readonly note: string | undefined;
  /** Records that the suggested flags would reject. */
  readonly rejected: number | undefined;
}

/** Examines a file as `events inspect` does, without a process. Throws the InputError of a file that cannot be read. */
export async function suggested(content: string | Buffer, name = 'a.csv'): Promise<Suggested> {
  const cwd = tempDir();
  writeFileSync(join(cwd, name), content);
  const stop = new AbortController().signal;
  const typed: MappingFlags = { 'convert-timestamps': false, 'decimal-comma': false, 'no-validate': false };
  const { findings, through } = await examine({
    names: [name],
    cwd,
    flags: typed,
    open: (flags) =>
      Inputs.open({
        names: [name],
        cwd,
        stdin: process.stdin,
        reading: readingOf(flags),
        mapping: mappingOf('events', typed, undefined),
        shard: undefined,
        stop,
        onNotice: () => undefined,
      }),
    world: { clock: systemClock, stop },
  });
  const flags = commandLine(wordsOfFlags(findings.suggestion.flags));
  const inspection = inspectionOf(findings, extentOf(findings, through), flags);
  return { inspection, flags, note: ambiguityNote(findings.suggestion), rejected: through?.rejected };
}
