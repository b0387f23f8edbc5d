import { describeFileProblem } from '../../kit/file-trouble.ts';
import { SvcError } from './svc-error.ts';

/**
 * The failure for a file, named as the user named it, that could not be read (or written). An SvcError stays what it
 * is.
 */
export function fileError(name: string, error: unknown, to: 'read' | 'write' = 'read'): SvcError {
  if (error instanceof SvcError) return error;
  const { message, hint } = describeFileProblem(name, error, to);
  return new SvcError('file', message, { hint, cause: error });
}
