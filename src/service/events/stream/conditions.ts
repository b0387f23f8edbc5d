import type { Term } from '../../../kit/event-filter/parse.ts';
import { hashId as hashOf, isHashId } from '../../platform/crypto/hash-id.ts';
import { type EventConditions, MAX_LISTED } from '../store/events.ts';

/** What the database selects for a filter. */
interface Selection {
  /** Conditions that every event that matches meets. */
  readonly conditions: EventConditions;
  /** True if also every event that meets them matches, so that none needs to be tested. */
  readonly exact: boolean;
}

/**
 * Translates a filter into conditions that the database tests on the text of the events as it was sent: an event is only
 * read if it may match.
 */
export function selectionOf(terms: readonly Term[]): Selection {
  const conditions: { -readonly [K in keyof EventConditions]: EventConditions[K] } = {};
  let exact = true;
  for (const term of terms) {
    const known = !term.not && add(term, conditions);
    exact &&= known;
  }
  return { conditions, exact };
}

/** Whether a term may name a user by the hashId, which no event is stored with. */
const isByHash = (term: Term): boolean =>
  'values' in term &&
  term.subject !== 'anything' &&
  'field' in term.subject &&
  term.subject.field === 'userId' &&
  term.values.some(isHashId);

/** Gives an event the hashId of its user. */
export type Hash = <E extends { readonly userId: string }>(event: E) => E & { readonly hashId?: string };

/** What gives events their hashId where a term may name that, and else nothing; `readKey` reads the key of the workspace. */
export async function hashedFor(terms: readonly Term[], readKey: () => Promise<Uint8Array>): Promise<Hash> {
  if (!terms.some(isByHash)) return (event) => event;
  const key = await readKey();
  return (event) => ({ ...event, hashId: hashOf(key, event.userId) });
}

const LISTS = { userId: 'userIds', event: 'names', origin: 'origins' } as const;

/** Adds the conditions of a term. True if they say all that the term says. */
function add(
  term: Term,
  conditions: { -readonly [K in keyof EventConditions]: EventConditions[K] },
): boolean {
  if ('comparison' in term) {
    conditions.property = longer(conditions.property, term.subject.property);
    return false;
  }
  const { subject, values } = term;
  const only = values.length === 1 ? values[0]! : '';
  if (subject === 'anything') {
    conditions.text = longer(conditions.text, only);
    return false;
  }
  if ('field' in subject) {
    const list = LISTS[subject.field];
    if (values.length > MAX_LISTED || conditions[list] || isByHash(term)) return false;
    conditions[list] = values;
    return true;
  }
  // A number may be spelled in several ways.
  const value = /^-?[\d.]/.test(only) ? '' : only;
  conditions.property = longer(conditions.property, longer(subject.property, value));
  return false;
}

/** The text that selects more, presumably. */
const longer = (one: string | undefined, other: string) =>
  one !== undefined && one.length > other.length ? one : other;
