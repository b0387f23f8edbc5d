import type { Content } from '../../catalog/content.ts';

/** The restrictions of the caller (specification: Decision request). */
export interface Guardrails {
  /** Case and spaces count: categories are identifiers. */
  readonly excludeCategories: readonly string[];
  /** Most contacts of this user on a calendar day in the user's time zone; undefined for no cap. */
  readonly maxDailyContacts?: number;
}

/** True where one more contact today would break the cap. */
export function capIsReached(guardrails: Guardrails, contactsToday: number): boolean {
  return guardrails.maxDailyContacts !== undefined && contactsToday >= guardrails.maxDailyContacts;
}

/** The categories to exclude that no content of the catalog has. */
export function unknownCategories(contents: readonly Content[], guardrails: Guardrails): string[] {
  if (guardrails.excludeCategories.length === 0) return [];
  const known = new Set(contents.map(({ category }) => category));
  return guardrails.excludeCategories.filter((category) => !known.has(category));
}
