import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { SvcError } from '../../../cli/errors/svc-error.ts';
import { shellPath } from '../../../kit/shell.ts';
import type { ImportResult } from '../report/result.ts';
import type { ImportEnd } from '../run.ts';
import type { FixingFlag } from '../transform/validation-errors.ts';
import type { RecoveryCommands } from './recovery-commands.ts';

/** The inputs as they were typed, and the folder of the command. */
export interface ImportSource {
  readonly inputs: readonly string[];
  readonly format: string | undefined;
  readonly cwd: string;
}

/** Flags under which the rejected records would be accepted: their names, and the words to type. */
interface FixingFlags {
  readonly names: readonly string[];
  readonly words: readonly string[];
}

const WORDS: Readonly<Record<string, readonly string[]>> = {
  'convert-timestamps': ['--convert-timestamps'],
  'extra-fields': ['--extra-fields', 'properties'],
  'drop-fields': ['--extra-fields', 'drop'],
  nested: ['--nested', 'flatten'],
  nulls: ['--nulls', 'drop'],
};

/** Maximum number of columns that a suggested command makes text. */
const MAX_COLUMNS = 10;

/** The error of an import that rejected records, with the command that imports them. */
export function partialImportError(
  { result, reasons, tooManyErrors }: Pick<ImportEnd, 'result' | 'reasons' | 'tooManyErrors'>,
  recovery: RecoveryCommands,
  source: ImportSource,
): SvcError {
  const rejected = `${result.rejected} of ${result.read} records were rejected; see ${result.rejectsFile}`;
  const flags = fixingFlags(reasons.fixableBy);
  const stopped = tooManyErrors || result.rejected === result.read;
  const code = tooManyErrors ? 'too_many_errors' : 'partial';
  if (flags.words.length > 0 && stopped && result.accepted + result.skipped === 0) {
    const more = tooManyErrors ? [...flags.words, '--restart'] : flags.words;
    const command = recovery.without(flags.names, more);
    return new SvcError(code, rejected, { hint: `no record was accepted; to import them: ${command}` });
  }
  if (tooManyErrors)
    return new SvcError(code, `stopped at the limit on errors: ${rejected}`, { hint: recovery.resume });
  return new SvcError(code, rejected, { hint: fixHint(result, flags, recovery, source) });
}

function fixingFlags(flags: readonly FixingFlag[]): FixingFlags {
  const columns = flags.flatMap((flag) => /^text:(.*)$/s.exec(flag)?.[1] ?? []);
  if (columns.length > MAX_COLUMNS) return { names: [], words: [] };
  const words = flags.flatMap((flag) => WORDS[flag] ?? []);
  return {
    names: words.filter((word) => word.startsWith('--')).map((word) => word.slice(2)),
    words: [...words, ...columns.flatMap((column) => ['--type', `${column}=string`])],
  };
}

/** The two commands that extract the rejected records to a file, and import that file. */
function fixHint(
  { rejectsFile }: ImportResult,
  { names, words }: FixingFlags,
  recovery: RecoveryCommands,
  { inputs, format, cwd }: ImportSource,
): string {
  const first = inputs[0] ?? '';
  const csv = format === 'csv' || (format === undefined && /\.[ct]sv(\.gz|\.zst)?$/i.test(first));
  const file = freeName('fixed', csv ? '.csv' : '.ndjson', cwd);
  const records = `jq -r .raw ${shellPath(rejectsFile ?? '')}`;
  const extract = csv ? `(${headerCommand(first)}; ${records})` : records;
  const step = words.length > 0 ? 'then' : 'fix them in that file, then';
  return `extract them: ${extract} > ${file}
        ${step}: ${recovery.instead(inputs, file, names, words)}`;
}

/** Finds a file name that does not exist yet: an earlier one may be the input of this import. */
function freeName(stem: string, extension: string, cwd: string): string {
  for (let n = 1; ; n++) {
    const name = `${stem}${n === 1 ? '' : `-${n}`}${extension}`;
    if (!existsSync(resolve(cwd, name))) return name;
  }
}

/** The shell command that prints the header line of a CSV input. */
function headerCommand(input: string): string {
  if (input === '-') return "echo 'THE HEADER LINE'";
  const unpack = { gz: 'gzip -dc', zst: 'zstd -dc' }[input.split('.').at(-1)!.toLowerCase()];
  return unpack ? `${unpack} ${shellPath(input)} | head -n 1` : `head -n 1 ${shellPath(input)}`;
}
