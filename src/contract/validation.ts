import type * as z from 'zod/mini';
import { MAX_NAME } from './limits.ts';

/** One fault in a request: the element of a batch it is in, the field, and what is wrong, in words. */
export interface Detail {
  index?: number;
  field: string;
  message: string;
}

/** Most characters of a field's name that are repeated: a caller may make it as long as a body. */
const MOST_SHOWN = 300;

type Issue = z.core.$ZodIssue;

/**
 * Checks `value` against a schema of the contract.
 * Returns the value, or every fault as `details` of an `invalid_request` error.
 */
export function validate<T>(
  schema: z.ZodMiniType<T>,
  value: unknown,
): { ok: true; value: T } | { ok: false; details: Detail[]; issues: Issue[] } {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return { ok: true, value: result.data };
  return { ok: false, details: result.error.issues.map(toDetail), issues: result.error.issues };
}

/** Turns a path such as `events, 3, properties, a` into index 3 and field `properties.a`. */
function toDetail(issue: Issue): Detail {
  const [first, second, ...rest] = issue.path;
  // The `events` of a subscription are kinds and no records: theirs are the only elements held to a list of values.
  const isKind = issue.code === 'invalid_value' && rest.length === 0;
  const batched = typeof second === 'number' && (first === 'events' || first === 'users') && !isKind;
  const path = batched ? rest : issue.path;
  const unknown = issue.code === 'unrecognized_keys' ? [issue.keys[0] ?? ''] : [];
  const field =
    [...path, ...unknown].map(String).join('.').slice(0, MOST_SHOWN) || (batched ? 'record' : 'body');
  return { ...(batched ? { index: second } : {}), field, message: words(issue) };
}

function words(issue: Issue): string {
  const missing = issue.input === undefined;
  switch (issue.code) {
    case 'invalid_type':
      return missing ? 'is missing' : `must be ${article(issue.expected)}`;
    case 'unrecognized_keys':
      return 'is not a known field';
    case 'invalid_key':
      return `has a name with more than ${MAX_NAME} characters`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_union':
      return issue.message && issue.message !== 'Invalid input' ? issue.message : 'has a wrong type';
    case 'too_small':
      if (issue.origin === 'string')
        return issue.minimum === 1 ? 'must not be empty' : `must have at least ${issue.minimum} characters`;
      if (issue.origin === 'array')
        return issue.minimum === 1 ? 'must not be empty' : `must hold at least ${issue.minimum}`;
      return `must be at least ${issue.minimum}`;
    case 'too_big':
      if (issue.origin === 'string') return `must have at most ${issue.maximum} characters`;
      if (issue.origin === 'array') return `must hold at most ${issue.maximum}`;
      return `must be at most ${issue.maximum}`;
    default:
      return issue.message || 'is not valid';
  }
}

function article(expected: string): string {
  const names: Record<string, string> = {
    record: 'an object',
    object: 'an object',
    array: 'an array',
    int: 'a whole number',
  };
  return names[expected] ?? `a ${expected}`;
}
