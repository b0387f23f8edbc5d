import type { NamedViolation } from '../../../contract/event-plan.ts';

/** A validation error of a record: the field (`record` for the whole record) and the reason. */
export interface ValidationError {
  readonly field: string;
  readonly reason: string;
  /** The flags with which the record would be valid, used together. */
  readonly fixableBy?: readonly FixingFlag[] | undefined;
  /** What the event does against `--plan`. */
  readonly violations?: readonly NamedViolation[] | undefined;
}

/** A flag that makes a rejected record valid; `text:COLUMN` makes a column text. */
export type FixingFlag =
  | 'convert-timestamps'
  | 'extra-fields'
  | 'drop-fields'
  | 'nested'
  | 'nulls'
  | 'encoding'
  | `text:${string}`;

/** Maximum number of fields named per record, and of characters in each name after the first. */
const MAX_FIELDS = 6;
const MAX_CHARS = 60;

/**
 * Combines the errors of a record: the field of the first error, and the reasons of all, grouped by reason, as in
 * `is missing (also event, timestamp); plan: must be …`. Null if there are none.
 */
export function combineErrors(errors: readonly ValidationError[]): ValidationError | null {
  const [first, ...others] = errors;
  if (!first) return null;
  if (others.length === 0) return first;
  const groups = new Map<string, string[]>();
  for (const { field, reason } of others.slice(0, MAX_FIELDS - 1))
    groups.set(reason, [...(groups.get(reason) ?? []), field.slice(0, MAX_CHARS)]);
  const sameReason = groups.get(first.reason);
  groups.delete(first.reason);
  const parts = [
    first.reason + (sameReason ? ` (also ${sameReason.join(', ')})` : ''),
    ...[...groups].map(([reason, fields]) => `${fields.join(', ')}: ${reason}`),
  ];
  if (errors.length > MAX_FIELDS) parts.push(`and ${errors.length - MAX_FIELDS} more`);
  const flags = errors.flatMap(({ fixableBy = [] }) => fixableBy);
  const fixableBy = errors.every((fault) => fault.fixableBy) ? [...new Set(flags)] : undefined;
  return { field: first.field, reason: parts.join('; '), fixableBy };
}
