import { parseFilter, type Term } from '../../../kit/event-filter/parse.ts';
import type { Occurrence } from './occurrence.ts';

/** The fields of an outcome that a filter may name. */
export const FILTER_FIELDS = [
  'type',
  'contentId',
  'templateId',
  'channel',
  'surface',
  'category',
  'goalId',
] as const;
type Field = (typeof FILTER_FIELDS)[number];

/** A filter of a subscription, or where it is wrong: the index of the first character, and why. */
export type ParsedOutcomeFilter =
  | { readonly ok: true; readonly terms: readonly Term[] }
  | { readonly ok: false; readonly at: number; readonly message: string };

/**
 * Parses the filter of a subscription: the language of live events over the fields of an outcome, where a value that ends
 * with `*` stands for all that begin so.
 */
export function parseOutcomeFilter(text: string): ParsedOutcomeFilter {
  const parsed = parseFilter(text);
  if (!parsed.ok) return parsed;
  for (const term of parsed.terms) {
    if (term.subject === 'anything') continue;
    const name = nameOf(term.subject);
    const at = placeOf(text, name);
    if ('comparison' in term) return { ok: false, at, message: `${name} is text: write ${name}:value` };
    if (!isField(name))
      return { ok: false, at, message: `unknown field ${name}, not one of ${FILTER_FIELDS.join(', ')}` };
  }
  return parsed;
}

/** Tests an outcome against the terms of a filter. A field that it does not have equals no value. */
export function passes(terms: readonly Term[], occurrence: Occurrence): boolean {
  const fields = fieldsOf(occurrence);
  return terms.every((term) => holds(term, fields) !== term.not);
}

function holds(term: Term, fields: Partial<Record<Field, string>>): boolean {
  if ('comparison' in term) return false;
  const { subject, values } = term;
  if (subject === 'anything')
    return Object.values(fields).some((text) => values.some((value) => text.includes(value)));
  const text = fields[nameOf(subject) as Field];
  return text !== undefined && values.some((value) => equals(text, value));
}

const equals = (text: string, value: string) =>
  value.endsWith('*') ? text.startsWith(value.slice(0, -1)) : text === value;

/** The key of a term. An event has a user and a name, for which the language has words of its own. */
const nameOf = (subject: Exclude<Term['subject'], 'anything'>) =>
  'property' in subject ? subject.property : subject.field === 'userId' ? 'user' : subject.field;

/** Where a key stands in a filter: not inside another word. */
function placeOf(text: string, name: string): number {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1))
    if (at === 0 || /[\s"-]/.test(text.charAt(at - 1))) return at;
  return 0;
}

const isField = (name: string): name is Field => (FILTER_FIELDS as readonly string[]).includes(name);

function fieldsOf({
  kind,
  contentId,
  notificationId,
  goalId,
  about,
}: Occurrence): Partial<Record<Field, string>> {
  const of = notificationId === undefined ? { contentId } : { templateId: contentId };
  return { type: kind, ...of, ...(goalId !== undefined && { goalId }), ...about };
}
