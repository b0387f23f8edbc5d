import { membersOf, unquoted } from '../json/json-members.ts';
import type { ComparisonTerm, Term } from './parse.ts';

/** What a filter looks at. */
export interface FilteredEvent {
  readonly userId: string;
  /** By which a term may name the user too; missing where it is not known. */
  readonly hashId?: string;
  readonly event: string;
  /** Who sent it: `client` or `server`; missing where that is not known. */
  readonly origin?: string;
  /** The properties as JSON text: an object of strings, numbers and booleans. Null if the event has none. */
  readonly properties: string | null;
}

/** A property: its value unquoted, with numbers as they are spelled. */
export interface Property {
  readonly name: string;
  readonly text: string;
  readonly type: 'string' | 'number' | 'boolean';
  /** The value as JSON, as it was sent. */
  readonly json: string;
}

/** True for a property that no term may find, because its value must not be shown. */
export type IsHidden = (property: Property) => boolean;

const nothingHidden: IsHidden = () => false;

/** Tests an event against the terms of a filter. A property that is hidden counts as missing. Takes linear time. */
export function matchesFilter(
  terms: readonly Term[],
  event: FilteredEvent,
  isHidden: IsHidden = nothingHidden,
): boolean {
  let parsed: readonly Property[] | undefined;
  const find = (sought: (property: Property) => boolean) => {
    parsed ??= propertiesOf(event.properties);
    return parsed.find((property) => sought(property) && !isHidden(property));
  };
  return terms.every((term) => holds(term, event, find) !== term.not);
}

/** The properties of an event in their order, of members with the same name the last one, as JSON.parse does. */
export function propertiesOf(json: string | null): readonly Property[] {
  if (json === null || !json.trimStart().startsWith('{')) return [];
  const byName = new Map<string, Property>();
  for (const { name, start, end } of membersOf(json)) {
    const value = json.slice(start, end);
    const type = value.startsWith('"') ? 'string' : /^[tf]/.test(value) ? 'boolean' : 'number';
    byName.set(name, { name, text: type === 'string' ? unquoted(value) : value, type, json: value });
  }
  return [...byName.values()];
}

/** The first property that is sought and not hidden. */
type Find = (sought: (property: Property) => boolean) => Property | undefined;

function holds(term: Term, event: FilteredEvent, find: Find): boolean {
  if ('comparison' in term) {
    const property = propertyOf(term.subject.property, event, find);
    return property?.type === 'number' && compares(Number(property.text), term);
  }
  const { subject, values } = term;
  if (subject === 'anything') {
    const contains = (text: string) => values.some((value) => text.includes(value));
    if (contains(event.userId) || contains(event.event)) return true;
    if (!values.some((value) => mayContain(event.properties, value))) return false;
    return find(({ name, text }) => contains(name) || contains(text)) !== undefined;
  }
  if ('field' in subject) {
    if (values.includes(event[subject.field] ?? '')) return true;
    return subject.field === 'userId' && event.hashId !== undefined && values.includes(event.hashId);
  }
  const property = propertyOf(subject.property, event, find);
  return property !== undefined && values.some((value) => isEqual(property, value));
}

function propertyOf(sought: string, event: FilteredEvent, find: Find): Property | undefined {
  return mayContain(event.properties, sought) ? find(({ name }) => name === sought) : undefined;
}

/** False if JSON text surely has no string with this text: one that holds no escape is searched as it is. */
function mayContain(json: string | null, text: string): boolean {
  return json !== null && (json.includes(text) || json.includes('\\'));
}

function compares(value: number, { comparison, number }: ComparisonTerm): boolean {
  switch (comparison) {
    case '>':
      return value > number;
    case '>=':
      return value >= number;
    case '<':
      return value < number;
    case '<=':
      return value <= number;
  }
}

/** Numbers are equal by value (`1e2` and `100`), if both are exact; beyond 2^53 by spelling. */
function isEqual(property: Property, value: string): boolean {
  if (property.text === value) return true;
  if (property.type !== 'number' || !/^-?[\d.]/.test(value)) return false;
  const number = Number(value);
  return number === Number(property.text) && Math.abs(number) <= Number.MAX_SAFE_INTEGER;
}
