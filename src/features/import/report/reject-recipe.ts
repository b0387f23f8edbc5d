import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { shellPath, shellWord } from '../../../kit/shell.ts';
import type { InputFacts } from '../formats/input-facts.ts';
import { ENCODING, encodingChoices, type LikelyEncoding } from '../guess/likely-encodings.ts';
import type { RejectedFile } from '../record/reasons.ts';
import type { RecoveryCommands } from './recovery-commands.ts';

/** Longest header that is repeated in a command, in characters. */
const MAX_HEADER = 2000;

export interface RecipeSource {
  /** The inputs as they were typed. */
  readonly inputs: readonly string[];
  readonly cwd: string;
  readonly rejectsFile: string;
  readonly files: readonly RejectedFile[];
  readonly factsOf: (file: string) => InputFacts | undefined;
  /** The encodings that the records may have that are not UTF-8. */
  readonly likely: readonly LikelyEncoding[];
}

/** Flags under which the rejected records would be accepted: their names, and the words to type. */
export interface FixingFlags {
  readonly names: readonly string[];
  readonly words: readonly string[];
}

/**
 * The commands that extract the rejected records to a file, and import that file. Rows of a CSV are extracted below the
 * header of their own file, and bytes that are not UTF-8 as they were.
 */
export function rejectRecipe(source: RecipeSource, flags: FixingFlags, recovery: RecoveryCommands): string {
  const { files, factsOf } = source;
  const bytes = files.find(({ undecoded }) => undecoded > 0);
  const texts = files.filter(({ count, undecoded }) => count > undecoded);
  const steps: string[] = [];
  if (bytes) steps.push(...bytesSteps(source, bytes, recovery));
  const csv = texts.find(({ name }) => factsOf(name)?.format === 'csv');
  const chosen = csv ? [csv] : texts;
  if (chosen.length > 0)
    steps.push(...textSteps(source, chosen, texts.length > chosen.length, flags, recovery));
  const others = new Set([...files, ...(bytes ? [bytes] : [])].map(({ name }) => name));
  for (const { name } of chosen) others.delete(name);
  if (bytes) others.delete(bytes.name);
  if (others.size > 0)
    steps.push(`then do the same for ${[...others].slice(0, 3).join(', ')}${others.size > 3 ? ' …' : ''}`);
  return steps.join('\n        ');
}

function textSteps(
  source: RecipeSource,
  files: readonly RejectedFile[],
  select: boolean,
  { names, words }: FixingFlags,
  recovery: RecoveryCommands,
): string[] {
  const { inputs, cwd, rejectsFile, factsOf } = source;
  const facts = files.map(({ name }) => factsOf(name));
  const csv = facts[0]?.format === 'csv';
  const json = facts.some((fact) => fact?.format === 'json');
  const file = freeName('fixed', csv ? '.csv' : json ? '.json' : '.ndjson', cwd);
  const undecoded = source.files.some((one) => one.undecoded > 0);
  const filter = [
    ...(select ? [`select(.file == ${JSON.stringify(files[0]!.name)})`] : []),
    ...(undecoded ? ['select(.rawBase64 == null)'] : []),
    '.raw',
  ].join(' | ');
  const records = `jq -r ${shellWord(filter)} ${shellPath(rejectsFile)}`;
  const extract = csv ? withHeader(facts[0], files[0]!.name, records) : records;
  const extra = facts.some((fact) => fact?.format === 'parquet') ? ['--extra-fields', 'properties'] : [];
  // What is extracted is UTF-8, also where a mapping file names the encoding of the input.
  const utf8 = facts.some((fact) => fact && fact.encoding !== 'utf-8') ? ['--encoding', 'utf-8'] : [];
  const more = [...utf8, ...(json ? ['--format', 'json'] : []), ...words];
  const gone = ['encoding', 'records', ...(csv ? [] : ['format']), ...names];
  const step = words.length > 0 ? 'then' : 'fix them in that file, then';
  return [
    `extract them: ${extract} > ${file}`,
    `${step}: ${recovery.instead(inputs, file, gone, [...extra, ...more])}`,
  ];
}

/** Extracts the exact bytes of records that are not UTF-8, and imports them in the likeliest encoding. */
function bytesSteps(source: RecipeSource, { name }: RejectedFile, recovery: RecoveryCommands): string[] {
  const { inputs, cwd, rejectsFile, factsOf, files, likely } = source;
  const facts = factsOf(name);
  const csv = facts?.format === 'csv';
  const file = freeName('decoded', csv ? '.csv' : facts?.format === 'json' ? '.json' : '.ndjson', cwd);
  const one =
    files.length === 1 ? 'select(.rawBase64)' : `select(.rawBase64 and .file == ${JSON.stringify(name)})`;
  const records =
    `jq -r ${shellWord(`${one} | .rawBase64`)} ${shellPath(rejectsFile)} | ` +
    'while read -r record; do echo "$record" | base64 -d; echo; done';
  const extract = csv ? withHeader(facts, name, records) : records;
  const words = facts?.format === 'json' ? ['--format', 'json'] : [];
  const { encoding, example } = likely[0] ?? { encoding: ENCODING, example: '' };
  const gone = ['encoding', 'records', ...(csv ? [] : ['format'])];
  const again = recovery.instead(inputs, file, gone, ['--encoding', encoding, ...words]);
  const condition =
    likely.length === 0
      ? `then, where ${ENCODING} ${encodingChoices(likely)}`
      : likely.length === 1
        ? `then, if it is ${encoding}`
        : `then, if ${example} reads right (else the encoding ${encodingChoices(likely.slice(1))})`;
  return [`extract what is not UTF-8: ${extract} > ${file}`, `${condition}: ${again}`];
}

function withHeader(facts: InputFacts | undefined, name: string, records: string): string {
  if (facts?.header === undefined) return records;
  return `(${headerCommand(facts, name)}; ${records})`;
}

/** The shell command that prints the header of a CSV: from its file if that is one line of plain text. */
function headerCommand(
  { header = '', headerLine, compression, encoding, fromFile }: InputFacts,
  name: string,
): string {
  const unpack = { gzip: 'gzip -dc', zstd: 'zstd -dc', zip: undefined }[compression ?? 'zip'];
  const plain = headerLine === 1 && !header.includes('\n') && encoding === 'utf-8' && fromFile;
  if (plain && compression === undefined) return `head -n 1 ${shellPath(name)}`;
  if (plain && unpack) return `${unpack} ${shellPath(name)} | head -n 1`;
  return header.length <= MAX_HEADER ? `printf '%s\\n' ${shellWord(header)}` : "echo 'THE HEADER LINE'";
}

/** Finds a file name that does not exist yet: an earlier one may be the input of this import. */
function freeName(stem: string, extension: string, cwd: string): string {
  for (let n = 1; ; n++) {
    const name = `${stem}${n === 1 ? '' : `-${n}`}${extension}`;
    if (!existsSync(resolve(cwd, name))) return name;
  }
}
