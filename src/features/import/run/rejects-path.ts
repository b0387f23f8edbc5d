import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileError } from '../../../cli/errors/file-error.ts';
import { SvcError } from '../../../cli/errors/svc-error.ts';
import { fileOfRejects, foreignRejects } from '../deliver/rejects-file.ts';
import { folderOfPattern, isGlob, slashed, WINDOWS } from '../input/archive/glob.ts';
import type { Shard } from '../record/shard.ts';
import type { RecoveryCommands } from '../report/recovery-commands.ts';
import { rejectRecipe } from '../report/reject-recipe.ts';

/** The default rejects file: next to the first input, one for each shard of it. */
export function rejectsPath(
  inputs: readonly string[],
  cwd: string,
  shard: Shard | undefined,
  windows = WINDOWS,
): string {
  const first = inputs[0]!;
  const pattern = isGlob(first) && !existsSync(resolve(cwd, first));
  // That of a pattern or folder is next to the folder, where the next run does not find it.
  const folder = pattern ? folderOfPattern(first, windows) : first;
  const base = first === '-' ? 'stdin' : folder.slice(0, slashed(folder, windows).replace(/\/+$/, '').length);
  const nameless =
    /^(\.{0,2}|(\.\.?\/)+\.{0,2})$/.test(slashed(base, windows)) || (windows && /^\w:$/.test(base));
  return `${nameless ? 'import' : base}${shard ? `.${shard.index + 1}-of-${shard.count}` : ''}.rejects.ndjson`;
}

/**
 * Leaves out the rejects files of earlier imports, which a pattern such as `*.ndjson` matches. Throws a `usage` error if
 * nothing else was named.
 */
export async function withoutRejects(
  inputs: readonly string[],
  cwd: string,
  recovery: RecoveryCommands,
  onNotice: (text: string) => void,
): Promise<string[]> {
  const kept: string[] = [];
  const rejects: string[] = [];
  let rejected = '';
  for (const input of inputs) {
    const file =
      input !== '-' && /\.ndjson$/.test(input) ? await fileOfRejects(resolve(cwd, input)) : undefined;
    if (rejects.length === 0) rejected = file ?? '';
    (file === undefined ? kept : rejects).push(input);
  }
  const [first] = rejects;
  if (first !== undefined && kept.length === 0)
    throw new SvcError('usage', `${first} is a rejects file, which holds each record in its "raw"`, {
      hint: recipeOf(first, rejected, inputs, cwd, recovery),
    });
  if (first !== undefined) onNotice(`left out ${rejects.join(', ')}: the rejects of an earlier import`);
  return kept;
}

/** The commands that extract the records of a rejects file, whose first one is of `rejected`, and import them. */
function recipeOf(
  rejectsFile: string,
  rejected: string,
  inputs: readonly string[],
  cwd: string,
  recovery: RecoveryCommands,
): string {
  const [, extension, packed] = /\.(csv|tsv|json)(\.gz|\.zst)?$/i.exec(rejected) ?? [];
  const format = /sv$/i.test(extension ?? '') ? 'csv' : extension === undefined ? 'ndjson' : 'json';
  const compression = packed === undefined ? undefined : packed === '.gz' ? 'gzip' : 'zstd';
  const facts = {
    format,
    compression,
    encoding: 'utf-8',
    fromFile: true,
    header: '',
    headerLine: 1,
  } as const;
  return rejectRecipe(
    {
      inputs,
      cwd,
      rejectsFile,
      files: [{ name: rejected, count: 1, undecoded: 0 }],
      factsOf: () => facts,
      likely: [],
    },
    { names: [], words: [] },
    recovery,
  );
}

/**
 * Verifies before anything is sent that the rejects file can be written and is not an input. `rejects` is undefined for
 * the default. Throws a `usage` or `file` error.
 */
export async function checkRejectsPath(
  rejects: string | undefined,
  inputs: readonly string[],
  cwd: string,
  recovery: RecoveryCommands,
): Promise<void> {
  const path = rejects ?? rejectsPath(inputs, cwd, undefined);
  const other = {
    hint: recovery.without(
      ['rejects'],
      ['--rejects', `${path.replace(/(\.rejects)?\.ndjson$/, '')}.2.rejects.ndjson`],
    ),
  };
  if (inputs.some((input) => input !== '-' && isSame(resolve(cwd, input), resolve(cwd, path))))
    throw new SvcError(
      'usage',
      `${rejects ? '--rejects ' : ''}${path} is an input of this import and would be overwritten`,
      other,
    );
  if (rejects === undefined) return;
  const real = existsSync(resolve(cwd, path)) ? realpathSync(resolve(cwd, path)) : resolve(cwd, path);
  if (!existsSync(dirname(real))) throw fileError(rejects, { code: 'ENOENT' }, 'write');
  const foreign = await foreignRejects(resolve(cwd, rejects));
  if (foreign)
    throw new SvcError('usage', `--rejects ${rejects} is ${foreign} and would be overwritten`, other);
}

/** Returns whether two paths name one file, also by links. */
function isSame(a: string, b: string): boolean {
  if (a === b) return true;
  const [one, two] = [a, b].map((path) => statSync(path, { throwIfNoEntry: false }));
  return one !== undefined && two !== undefined && one.ino === two.ino && one.dev === two.dev;
}
