/** What is wrong with one record: the field (`record` for the whole) and the reason in words. */
export interface ValidationError {
  readonly field: string;
  readonly reason: string;
  /** The flags that mend it, all together where they are of several errors. */
  readonly fixableBy?: readonly FixingFlag[] | undefined;
}

/** A flag without which a record is refused that is fine with it. */
export type FixingFlag = 'convert-timestamps' | 'extra-fields' | 'drop-fields';

/** Most fields that are named of one record, and most characters of each name behind the first. */
const MOST_FIELDS = 6;
const MOST_CHARS = 60;

/**
 * All errors of a record as one: the first one's field, and behind its reason the others', fields of the same reason
 * together: `is missing (also event, timestamp); plan: must be …`. Null where there is none.
 */
export function combineErrors(errors: readonly ValidationError[]): ValidationError | null {
  const [first, ...others] = errors;
  if (!first) return null;
  if (others.length === 0) return first;
  const groups = new Map<string, string[]>();
  for (const { field, reason } of others.slice(0, MOST_FIELDS - 1))
    groups.set(reason, [...(groups.get(reason) ?? []), field.slice(0, MOST_CHARS)]);
  const alike = groups.get(first.reason);
  groups.delete(first.reason);
  const parts = [
    first.reason + (alike ? ` (also ${alike.join(', ')})` : ''),
    ...[...groups].map(([reason, fields]) => `${fields.join(', ')}: ${reason}`),
  ];
  if (errors.length > MOST_FIELDS) parts.push(`and ${errors.length - MOST_FIELDS} more`);
  const flags = errors.flatMap(({ fixableBy = [] }) => fixableBy);
  const fixableBy = errors.every((fault) => fault.fixableBy) ? [...new Set(flags)] : undefined;
  return { field: first.field, reason: parts.join('; '), fixableBy };
}
