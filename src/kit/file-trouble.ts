import { dirname } from 'node:path';
import { shellPath } from './shell.ts';

/** What is wrong with a file, and a command that shows it or mends it. */
export interface FileProblem {
  /** `no such file: x.csv` */
  readonly message: string;
  readonly hint: string;
}

/**
 * The one place that words what the file system refuses, for every command. `name` is the file as the user named it:
 * that is how it is found again, whatever absolute path the error holds. `to` says what was tried.
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
      return { message: `permission denied: ${name}`, hint: look };
    case 'EISDIR':
      return { message: `${name} is a directory, not a file`, hint: look };
    case 'ESPIPE':
      return { message: `${name} is a pipe, not a file`, hint: look };
    case 'ENXIO':
      return { message: `nobody reads the pipe ${name}`, hint: `cat ${shellPath(name)} &` };
    case 'ENOSPC':
    case 'EDQUOT':
      return { message: `no space is left for ${name}`, hint: 'df -h' };
    default:
      return {
        message: `${name} cannot be ${to === 'read' ? 'read' : 'written'}: ${code ?? message}`,
        hint: look,
      };
  }
}
