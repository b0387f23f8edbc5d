import { SvcError } from '../../../cli/errors/svc-error.ts';
import type { InputFacts } from '../formats/input-facts.ts';
import { encodingStep, likelyEncodings } from '../guess/likely-encodings.ts';
import type { FixingFlag } from '../record/validation-errors.ts';
import type { RecoveryCommands } from './recovery-commands.ts';
import { type FixingFlags, rejectRecipe } from './reject-recipe.ts';
import type { ImportEnd } from './result.ts';

/** The inputs as they were typed, and the folder of the command. */
export interface ImportSource {
  readonly inputs: readonly string[];
  readonly cwd: string;
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
  {
    result,
    reasons,
    tooManyErrors,
    factsOf,
  }: Pick<ImportEnd, 'result' | 'reasons' | 'tooManyErrors'> & {
    factsOf: (file: string) => InputFacts | undefined;
  },
  recovery: RecoveryCommands,
  source: ImportSource,
): SvcError {
  const records = result.read === 1 ? 'record' : 'records';
  const rejected = `${result.rejected} of ${result.read} ${records} ${result.rejected === 1 ? 'was' : 'were'} rejected; see ${result.rejectsFile}`;
  const likely = likelyEncodings(Buffer.concat(reasons.undecoded));
  const encoding = encodingStep(likely);
  const flags = fixingFlags(reasons.fixableBy, encoding.flags.more);
  const stopped = tooManyErrors || result.rejected === result.read;
  const code = tooManyErrors ? 'too_many_errors' : 'partial';
  if (flags.words.length > 0 && stopped && result.accepted + result.skipped === 0) {
    const more = tooManyErrors ? [...flags.words, '--restart'] : flags.words;
    const command = recovery.without(flags.names, more);
    const note = reasons.fixableBy.includes('encoding') && encoding.note ? `\n        ${encoding.note}` : '';
    return new SvcError(code, rejected, {
      hint: `no record was accepted; to import them: ${command}${note}`,
    });
  }
  if (tooManyErrors)
    return new SvcError(code, `stopped at the limit on errors: ${rejected}`, { hint: recovery.resume });
  const { rejectsFile } = result;
  const recipe = { ...source, rejectsFile: rejectsFile ?? '', files: reasons.files, factsOf, likely };
  return new SvcError(code, rejected, { hint: rejectRecipe(recipe, flags, recovery) });
}

function fixingFlags(flags: readonly FixingFlag[], encoding: readonly string[]): FixingFlags {
  const columns = flags.flatMap((flag) => /^text:(.*)$/s.exec(flag)?.[1] ?? []);
  if (columns.length > MAX_COLUMNS) return { names: [], words: [] };
  const words = flags.flatMap((flag) => (flag === 'encoding' ? encoding : (WORDS[flag] ?? [])));
  return {
    names: words.filter((word) => word.startsWith('--')).map((word) => word.slice(2)),
    words: [...words, ...columns.flatMap((column) => ['--type', `${column}=string`])],
  };
}
