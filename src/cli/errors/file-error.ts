import { describeFileProblem } from '../../kit/files/file-trouble.ts';
import { SvcError } from './svc-error.ts';

/** A file that is to be written could be, with room or permission. */
const UNWRITABLE = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM']);

/**
 * Turns a failed read or write of a file into an SvcError. Returns an SvcError unchanged.
 * @param name the file as the user typed it
 */
export function fileError(name: string, error: unknown, to: 'read' | 'write' = 'read'): SvcError {
  if (error instanceof SvcError) return error;
  const { message, hint } = describeFileProblem(name, error, to);
  const unwritable = to === 'write' && UNWRITABLE.has((error as NodeJS.ErrnoException).code ?? '');
  return new SvcError(unwritable ? 'disk' : 'file', message, { hint, cause: error });
}
