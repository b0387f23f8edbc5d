import { Lru } from '../../../kit/lru.ts';
import type { Occurrence } from '../rules/occurrence.ts';
import { type ParsedOutcomeFilter, parseOutcomeFilter, passes } from '../rules/outcome-filter.ts';

/** Parsed filters by their text. */
const parsed = new Lru<string, ParsedOutcomeFilter>(1000);

/** Whether the stored filter of a subscription lets an outcome pass; null lets all pass. */
export function isWanted(filter: string | null, occurrence: Occurrence): boolean {
  if (filter === null) return true;
  let terms = parsed.get(filter);
  if (!terms) {
    terms = parseOutcomeFilter(filter);
    parsed.set(filter, terms);
  }
  return terms.ok && passes(terms.terms, occurrence);
}
