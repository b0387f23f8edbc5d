import { validate } from '../../contract/validation.ts';
import { describeFileProblem } from '../../kit/files/file-trouble.ts';
import { settingsText } from '../../kit/pipe.ts';
import { Faults } from './schema.ts';

/** The faults file is invalid; the message lists every error with its field. */
class FaultsError extends Error {
  override readonly name = 'FaultsError';
}

/** Reads and validates a faults file. Throws FaultsError. */
export function readFaults(path: string): Faults {
  let value: unknown;
  try {
    value = JSON.parse(settingsText(path));
  } catch (error) {
    throw new FaultsError(
      error instanceof SyntaxError
        ? `${path} is not JSON: ${error.message}`
        : describeFileProblem(path, error).message,
    );
  }
  const checked = validate(Faults, value);
  if (!checked.ok)
    throw new FaultsError(
      `${path}: ${checked.details.map(({ field, message }) => `${field} ${message}`).join('; ')}`,
    );
  return checked.value;
}
