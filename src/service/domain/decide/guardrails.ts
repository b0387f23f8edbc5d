import type { Content } from './content.ts';

/** The restrictions of the caller (specification: Decision request). */
export interface Guardrails {
  readonly excludeCategories: readonly string[];
  /** Most contacts of this user on a calendar day in the user's time zone; undefined for no cap. */
  readonly maxDailyContacts?: number;
}

/** True where the category of the content must not be chosen. Case and spaces count: categories are identifiers. */
export function isExcluded(content: Content, guardrails: Guardrails): boolean {
  return guardrails.excludeCategories.includes(content.category);
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
