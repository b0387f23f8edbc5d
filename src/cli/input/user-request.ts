import { SvcError } from '../errors/svc-error.ts';
import { Flags } from '../flags/oclif.ts';
import { checkLocalHashId, userFlags } from './named-user.ts';

/** The flags of a command that sends one request for a user, or one per line of `--input`. */
export const userRequestFlags = {
  ...userFlags,
  input: Flags.string({
    summary: 'read one request or hashId per line from a file, or - for standard input',
    exclusive: ['hash-id', 'user-id'],
    helpValue: 'FILE|-',
  }),
};

/** What may be given in place of one user. */
export const OR_INPUT = ', or --input FILE for many users';

export interface UserRequest {
  readonly hashId: string;
  readonly [field: string]: unknown;
}

/**
 * Parses a line of `--input`: a bare hashId, or a JSON object with a hashId. Fields named in `objects` must be objects
 * where present; other fields are passed through unchecked. Throws `usage`, also for a hashId that none on `local` has.
 */
export function parseUserRequest(
  line: string,
  objects: readonly string[],
  { isLocal = false }: { readonly isLocal?: boolean } = {},
): UserRequest {
  const request = parseRequest(line, objects);
  if (isLocal) checkLocalHashId(request.hashId);
  return request;
}

function parseRequest(line: string, objects: readonly string[]): UserRequest {
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
