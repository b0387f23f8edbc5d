import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileError } from '../../../cli/errors/file-error.ts';
import { SvcError } from '../../../cli/errors/svc-error.ts';
import { fileOfRejects, foreignRejects, numbered } from '../deliver/rejects-file.ts';
import { addressFile, isAddress } from '../input/address.ts';
import { folderOfPattern, isGlob, slashed, WINDOWS } from '../input/archive/glob.ts';
import type { Shard } from '../record/shard.ts';
import type { RecoveryCommands } from '../report/recovery-commands.ts';

/** The default rejects file: next to the first input, one for each shard of it. */
export function rejectsPath(
  inputs: readonly string[],
  cwd: string,
  shard: Shard | undefined,
  windows = WINDOWS,
): string {
  const [input = ''] = inputs;
  // That of an address is in the current folder.
  const first = isAddress(input) ? addressFile(input) : input;
  const pattern = first === input && isGlob(first) && !existsSync(resolve(cwd, first));
  // That of a pattern or folder is next to the folder, where the next run does not find it.
  const folder = pattern ? folderOfPattern(first, windows) : first;
  const again = /^(.+?)(?:\.(\d{1,3}))?\.rejects\.ndjson$/s.exec(first);
  // Beside the rejects that are imported again, with the next number.
  if (again) return numbered(`${again[1]}.rejects.ndjson`, Number(again[2] ?? 1) + 1);
  const base = first === '-' ? 'stdin' : folder.slice(0, slashed(folder, windows).replace(/\/+$/, '').length);
  const nameless =
    /^(\.{0,2}|(\.\.?\/)+\.{0,2})$/.test(slashed(base, windows)) || (windows && /^\w:$/.test(base));
  return `${nameless ? 'import' : base}${shard ? `.${shard.index + 1}-of-${shard.count}` : ''}.rejects.ndjson`;
}

/**
 * Leaves out the rejects files of earlier imports, which a pattern such as `*.ndjson` matches, unless all inputs are
 * rejects files, whose records are imported again.
 */
export async function withoutRejects(
  inputs: readonly string[],
  cwd: string,
  onNotice: (text: string) => void,
): Promise<readonly string[]> {
  const rejects = new Set<string>();
  for (const input of inputs) {
    const isNamed = input !== '-' && input.endsWith('.ndjson');
    if (isNamed && (await fileOfRejects(resolve(cwd, input))) !== undefined) rejects.add(input);
  }
  if (rejects.size === 0 || rejects.size === inputs.length) return inputs;
  onNotice(`left out ${[...rejects].join(', ')}: the rejects of an earlier import`);
  return inputs.filter((input) => !rejects.has(input));
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
