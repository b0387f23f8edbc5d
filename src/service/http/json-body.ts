import { ServiceError } from '../../contract/errors.ts';
import { shapeOf } from './json-shape.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A JSON text as it was sent. */
export interface JsonText {
  /** Its bytes, in UTF-8. */
  readonly raw: Buffer;
  readonly text: string;
  /** Where in the bytes the objects of its records lie (json-shape.ts). */
  readonly inner: readonly number[];
}

/**
 * Parses a body as unambiguous UTF-8 JSON: JavaScript and the databases read the same names and values from it.
 * Throws invalid_request, or payload_too_large for more values than a request may contain.
 */
export function parseJson(raw: Buffer): JsonText & { readonly value: unknown } {
  const { fault, members, inner } = shapeOf(raw);
  if (fault?.kind === 'large') throw new ServiceError('payload_too_large', fault.message);
  if (fault) throw invalid(fault.message);
  let text: string;
  try {
    text = utf8.decode(raw);
  } catch {
    throw invalid('is not valid UTF-8');
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid('is not valid JSON');
  }
  if (countMembers(value, []) !== members) throw invalid('names a field twice in one object');
  return { raw, text, inner, value };
}

/**
 * Counts the members of all objects in a parsed body. The text has more if an object repeats a name, of which
 * JSON.parse keeps the last and SQLite finds the first. Throws invalid_request for the name `__proto__`.
 */
function countMembers(value: unknown, path: (string | number)[]): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) {
    let count = 0;
    for (let i = 0; i < value.length; i++) {
      const item = value[i];
      if (typeof item !== 'object' || item === null) continue;
      path.push(i);
      count += countMembers(item, path);
      path.pop();
    }
    return count;
  }
  if (Object.hasOwn(value, '__proto__')) throw reserved([...path, '__proto__']);
  const names = Object.keys(value);
  let count = names.length;
  for (const name of names) {
    const member = (value as Record<string, unknown>)[name];
    if (typeof member !== 'object' || member === null) continue;
    path.push(name);
    count += countMembers(member, path);
    path.pop();
  }
  return count;
}

function reserved(path: (string | number)[]): ServiceError {
  const [, second] = path;
  const batched = typeof second === 'number';
  return new ServiceError('invalid_request', undefined, [
    {
      ...(batched ? { index: second } : {}),
      field: (batched ? path.slice(2) : path).join('.'),
      message: 'is not a name that a field can have',
    },
  ]);
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', undefined, [{ field: 'body', message }]);
}
