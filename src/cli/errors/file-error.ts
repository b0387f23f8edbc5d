import { describeFileProblem } from '../../kit/files/file-trouble.ts';
import { SvcError } from './svc-error.ts';

/**
 * Turns a failed read or write of a file into an SvcError. Returns an SvcError unchanged.
 * @param name the file as the user typed it
 */
export function fileError(name: string, error: unknown, to: 'read' | 'write' = 'read'): SvcError {
  if (error instanceof SvcError) return error;
  const { message, hint } = describeFileProblem(name, error, to);
  return new SvcError('file', message, { hint, cause: error });
}
