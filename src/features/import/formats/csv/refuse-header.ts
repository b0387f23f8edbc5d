import { shellPath, shellWord } from '../../../../kit/shell.ts';
import { InputError } from '../../input/input-error.ts';
import type { Dialect } from './csv-dialect.ts';
import { namesText } from './csv-rows.ts';

/**
 * Throws an InputError for a header whose names would be lost: one of several lines, which names no column in any of them, and,
 * unless columns were `named`, a line before the table that seems to name its columns, with which its first row would be lost.
 */
export function refuseHeader(file: string, { levels, named, skipLines }: Dialect, isNamed: boolean): void {
  if (levels) {
    const names = levels.names.filter((name) => name !== '').join(', ');
    const below = `tail -n +${shellWord(String(skipLines + levels.lines + 1))} ${shellPath(file)}`;
    throw new InputError(
      `${file} has a header of ${levels.names.length} lines${names && ` (${names})`}, as pandas writes columns of several levels.`,
      `write it with one line of names, or look at the rows alone: ${below} | svc events inspect -`,
    );
  }
  if (named && !isNamed)
    throw new InputError(
      `Line ${skipLines} of ${file} seems to name the columns, but has another form than the rows below it: ${named.text.slice(0, 80)}.`,
      'Name the columns with --columns.',
      { flags: { without: ['columns'], more: ['--columns', namesText(named.names)] } },
    );
}
