import { SvcError } from './svc-error.ts';

/** Parses a value of the command line; errors of `type` become usage errors with this hint. */
export function asUsageError<T>(
  type: abstract new (...args: never[]) => Error,
  hint: string,
  parse: () => T,
): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof type)) throw error;
    throw new SvcError('usage', error.message, { hint });
  }
}
