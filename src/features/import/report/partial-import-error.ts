import { SvcError } from '../../../cli/errors/svc-error.ts';
import { namesText } from '../formats/csv/csv-rows.ts';
import { encodingStep, likelyEncodings } from '../guess/likely-encodings.ts';
import type { FixingFlag } from '../record/validation-errors.ts';
import type { RecoveryCommands } from './recovery-commands.ts';
import type { ImportEnd } from './result.ts';

const WORDS: Readonly<Record<string, readonly string[]>> = {
  'convert-timestamps': ['--convert-timestamps'],
  'extra-fields': ['--extra-fields', 'properties'],
  'drop-fields': ['--extra-fields', 'drop'],
  nested: ['--nested', 'flatten'],
  nulls: ['--nulls', 'drop'],
};

/** Maximum number of columns that a suggested command names. */
const MAX_NAMES = 100;
/** Maximum number of columns that a suggested command makes text. */
const MAX_COLUMNS = 10;

/** Flags under which the rejected records would be accepted: their names, and the words to type. */
interface FixingFlags {
  readonly names: readonly string[];
  readonly words: readonly string[];
}

/** The error of an import that rejected records, with the command that imports them. */
export function partialImportError(
  {
    result,
    reasons,
    tooManyErrors,
    factsOf,
  }: Pick<ImportEnd, 'result' | 'reasons' | 'tooManyErrors' | 'factsOf'>,
  recovery: RecoveryCommands,
  inputs: readonly string[],
): SvcError {
  const records = result.read === 1 ? 'record' : 'records';
  const rejected = `${result.rejected} of ${result.read} ${records} ${result.rejected === 1 ? 'was' : 'were'} rejected; see ${result.rejectsFile}`;
  const isUndecoded = reasons.undecoded.length > 0;
  const encoding = encodingStep(likelyEncodings(Buffer.concat(reasons.undecoded)));
  const flags = fixingFlags(reasons.fixableBy, encoding.flags.more);
  const note = isUndecoded && encoding.note ? `\n        ${encoding.note}` : '';
  const stopped = tooManyErrors || result.rejected === result.read;
  const code = tooManyErrors ? 'too_many_errors' : 'partial';
  if (flags.words.length > 0 && stopped && result.accepted + result.skipped === 0) {
    const more = tooManyErrors ? [...flags.words, '--restart'] : flags.words;
    const command = recovery.without(flags.names, more);
    return new SvcError(code, rejected, {
      hint: `no record was accepted; to import them: ${command}${flags.names.includes('encoding') ? note : ''}`,
    });
  }
  if (tooManyErrors)
    return new SvcError(code, `stopped at the limit on errors: ${rejected}`, { hint: recovery.resume });
  // An input that cannot be read again has no header any more.
  const { columns, delimiter } =
    reasons.files.map(({ name }) => factsOf(name)).find((facts) => facts?.columns) ?? {};
  const more = [
    ...(columns ? ['--columns', columns.length > MAX_NAMES ? 'COLUMNS' : namesText(columns)] : []),
    ...(delimiter && delimiter !== ',' ? ['--delimiter', delimiter === '\t' ? 'tab' : delimiter] : []),
    ...(isUndecoded && !flags.names.includes('encoding') ? encoding.flags.more : []),
    ...flags.words,
  ];
  const again = recovery.instead(
    inputs,
    result.rejectsFile ?? '',
    ['records', ...(columns ? ['columns', 'delimiter'] : []), ...flags.names],
    more,
  );
  const step =
    flags.words.length > 0
      ? 'to import them'
      : isUndecoded
        ? `to import those that are not UTF-8, and others once their "raw" is corrected in ${result.rejectsFile}`
        : `correct their "raw" in ${result.rejectsFile}, then`;
  return new SvcError(code, rejected, { hint: `${step}: ${again}${note}` });
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
