import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { shellPath } from '../shell.ts';

/** A file error in words, with a command that shows or fixes the cause. */
export interface FileProblem {
  /** `no such file: x.csv` */
  readonly message: string;
  readonly hint: string;
}

/**
 * Describes an error of the file system, for all commands. `name` is the path as the user gave it; the error may hold
 * another, absolute one. `to` is the operation that failed.
 */
export function describeFileProblem(
  name: string,
  error: unknown,
  to: 'read' | 'write' = 'read',
): FileProblem {
  const { code, message } = error as NodeJS.ErrnoException;
  const folder = dirname(name);
  const look = `ls -l ${shellPath(name)}`;
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      if (to === 'write')
        return { message: `no such folder: ${folder}`, hint: `mkdir -p ${shellPath(folder)}` };
      return {
        message: `no such file: ${name}`,
        hint: folder === '.' ? 'ls -l' : `ls -l ${shellPath(folder)}`,
      };
    case 'EACCES':
    case 'EPERM':
      return {
        message: `permission denied: ${name}`,
        hint: to === 'write' && !existsSync(name) ? `ls -ld ${shellPath(folder)}` : look,
      };
    case 'EISDIR':
      return { message: `${name} is a directory, not a file`, hint: look };
    case 'ESPIPE':
      return { message: `${name} is a pipe, not a file`, hint: look };
    case 'EILSEQ':
      return {
        message: `${name} is not UTF-8 text`,
        hint: `iconv -f WINDOWS-1252 -t UTF-8 ${shellPath(name)}`,
      };
    case 'ENXIO':
      return { message: `no process reads the pipe ${name}`, hint: `cat ${shellPath(name)} &` };
    case 'ENOSPC':
    case 'EDQUOT':
      return { message: `no space left on the device of ${name}`, hint: 'df -h' };
    default:
      return {
        message: `${name} cannot be ${to === 'read' ? 'read' : 'written'}: ${code ?? message}`,
        hint: look,
      };
  }
}
