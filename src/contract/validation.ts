import type * as z from 'zod/mini';
import { MAX_NAME } from './limits.ts';

/** A validation error: the index in the batch, the field and the problem in words. */
export interface Detail {
  index?: number;
  field: string;
  message: string;
}

/** Maximum length of a field name in an error: a caller may send a name as long as a body. */
const MAX_FIELD_LENGTH = 300;

type Issue = z.core.$ZodIssue;

/**
 * Validates `value` against a schema of the contract.
 * Returns the value, or all errors as `details` of an `invalid_request` error.
 */
export function validate<T>(
  schema: z.ZodMiniType<T>,
  value: unknown,
): { ok: true; value: T } | { ok: false; details: Detail[]; issues: Issue[] } {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return { ok: true, value: result.data };
  return { ok: false, details: result.error.issues.map(toDetail), issues: result.error.issues };
}

/** Converts an issue. The path `events, 3, properties, a` becomes index 3 and field `properties.a`. */
function toDetail(issue: Issue): Detail {
  const [first, second, ...rest] = issue.path;
  // The `events` of a subscription are kinds, not records: only they are restricted to a list of values.
  const isKind = issue.code === 'invalid_value' && rest.length === 0;
  const batched = typeof second === 'number' && (first === 'events' || first === 'users') && !isKind;
  const path = batched ? rest : issue.path;
  const unknown = issue.code === 'unrecognized_keys' ? [issue.keys[0] ?? ''] : [];
  const field =
    [...path, ...unknown].map(String).join('.').slice(0, MAX_FIELD_LENGTH) || (batched ? 'record' : 'body');
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
      if (missing) return 'is missing';
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
