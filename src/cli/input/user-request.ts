import { SvcError } from '../errors/svc-error.ts';
import { Flags } from '../flags/oclif.ts';

/** The flags of a command that sends one request for `--hash-id`, or one per line of `--input`. */
export const userRequestFlags = {
  'hash-id': Flags.string({
    summary: 'hashed identifier of the user',
    exclusive: ['input'],
    helpValue: 'H',
  }),
  input: Flags.string({
    summary: 'read one request or hashId per line from a file, or - for standard input',
    helpValue: 'FILE|-',
  }),
};

/** The user of a single request. Throws `usage` if none is given. */
export function requireHashId(flags: { readonly 'hash-id'?: string | undefined }): string {
  const hashId = flags['hash-id'];
  if (hashId) return hashId;
  throw new SvcError('usage', 'no user is given', {
    hint: 'add --hash-id H, or --input FILE for many users; `svc users import` prints hashIds',
  });
}

export interface UserRequest {
  readonly hashId: string;
  readonly [field: string]: unknown;
}

/**
 * Parses a line of `--input`: a bare hashId, or a JSON object with a hashId. Fields named in `objects` must be objects
 * where present; other fields are passed through unchecked. Throws `usage`.
 */
export function parseUserRequest(line: string, objects: readonly string[]): UserRequest {
  if (!/^[{["]/.test(line)) return { hashId: line };
  const value = parseJson(line);
  if (typeof value === 'string' && value !== '') return { hashId: value };
  if (!isObject(value) || typeof value.hashId !== 'string' || value.hashId === '')
    throw invalidLine('the line has no hashId');
  for (const field of objects)
    if (value[field] !== undefined && !isObject(value[field]))
      throw invalidLine(`${field} must be an object`);
  // `svc users import --json` prints the userId beside the hashId; no request has a userId.
  const { userId: _, ...request } = value;
  return { ...request, hashId: value.hashId };
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw invalidLine(`the line is not valid JSON: ${(error as Error).message}`);
  }
}

function invalidLine(message: string): SvcError {
  return new SvcError('usage', message, { hint: 'write a bare hashId or {"hashId": "…"} on each line' });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
