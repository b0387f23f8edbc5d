import { hash32 } from '../../../kit/hash32.ts';
import type { TraitValue } from '../../catalog/content.ts';

/** Where and when the action will appear: field name to value, such as `{channel: 'in-app', surface: 'home'}`. */
export type Context = Readonly<Record<string, TraitValue>>;

/** The user's part of the features of a choice; all of it is hashed. */
export interface Person {
  readonly traits?: Readonly<Record<string, TraitValue>>;
  /** How often each frequent event happened, and how long ago the last time was, in ms. */
  readonly events?: readonly { readonly event: string; readonly count: number; readonly age: number }[];
  /** The number of earlier messages with each outcome. */
  readonly history?: Readonly<Record<string, number>>;
}

/** One feature of a decision. `key` identifies it in the model; `label` is for people. */
export interface Feature {
  readonly key: number;
  readonly label: string;
  readonly value: number;
  /** One of `KINDS`. */
  readonly kind: number;
}

/** What a feature tells of: the place of a decision, the user's traits, or what the user did. Bits of a set. */
const [PLACE, TRAIT, DEED] = [1, 2, 4];
export const KINDS = [PLACE, TRAIT, DEED] as const;

/** The feature that every decision has. */
export const BIAS: Feature = { key: 0, label: '', value: 1, kind: PLACE };

/** Most features of one decision. */
const MAX_FEATURES_PER_DECISION = 48;

/** The fields whose values a reason may repeat: they name a place, not a person. */
const PLACES = ['channel', 'surface', 'locale'];

/** Traits and fields that name or reach a person: never a feature, not even hashed. Matched in snake_case. */
const IDENTIFYING =
  /^((full|first|last|sur|given|family|middle|nick|user|display|customer|contact|legal|holder|account_holder|cardholder)_?)?name$|(^|_)(phone|mobile|msisdn|telephone|e_?mail|iban|ssn|address)(_?number|_|$)|(^|_)(account|acct|card)_?(number|num|no|nr|id)$/;
/** Seven digits or more, as in a number of a phone or an account; a month such as 2026-03 has fewer. */
const MANY_DIGITS = /\d([\s()./-]*\d){6}/;

/** Maximum weight of a group of features: the sum of the squares of its values. */
const GROUP = 1.5;

/**
 * The features of a decision, by hashing (Weinberger et al., 2009): one for each field of the context and their
 * combination, the user's traits, frequent events, and the outcomes of earlier messages. The model never stores
 * names and values, only their 32-bit hashes. Numbers count by their magnitude. The order is that of the names, so
 * that equal decisions give equal sums.
 */
export function featuresOf(context: Context, person: Person = {}): Feature[] {
  const fields = scalars(context).filter(
    ([name, value]) => PLACES.includes(name) || !identifies(name, value),
  );
  const traits = scalars(person.traits ?? {}).filter(([name, value]) => !identifies(name, value));
  const events = (person.events ?? []).filter(({ count }) => count > 0);
  const history = Object.entries(person.history ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const groups = shared([
    fields.map(([field, value]) =>
      feature(PLACE, `${field}=${bucket(value)}`, PLACES.includes(field) ? `${field} ${value}` : field),
    ),
    traits.map(([name, value]) => feature(TRAIT, `trait ${name}=${bucket(value)}`, `trait ${name}`)),
    events.flatMap(({ event, count, age }) => [
      feature(DEED, `event ${event} ${often(count)}`, `how often ${event} happened`),
      feature(DEED, `event ${event} last ${recency(age)}`, `when ${event} happened`),
    ]),
    history.map(([what, count]) =>
      feature(DEED, `history ${what} ${often(count)}`, `earlier messages ${what}`),
    ),
  ]);
  const [place, ...others] = groups.map(scaled);
  const combination = fields.map(([field, value]) => `${field}=${bucket(value)}`).join('&');
  return [
    BIAS,
    ...place!,
    ...(fields.length > 1 ? [feature(PLACE, `*${combination}`, 'this combination of context')] : []),
    ...others.flat(),
  ];
}

/** Shortens groups of features so that all fit beside the bias and the combination: the largest ones give way. */
function shared(groups: readonly Feature[][]): Feature[][] {
  let room = MAX_FEATURES_PER_DECISION - 2;
  const kept = new Map<Feature[], number>();
  const bySize = [...groups].sort((a, b) => a.length - b.length);
  for (const [i, group] of bySize.entries()) {
    const most = Math.min(group.length, Math.floor(room / (bySize.length - i)));
    kept.set(group, most);
    room -= most;
  }
  return groups.map((group) => group.slice(0, kept.get(group)));
}

/** True for a trait or a field of the context that identifies a person, by its name or its text. */
function identifies(name: string, value: TraitValue): boolean {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/[\s.-]+/g, '_');
  if (IDENTIFYING.test(words.toLowerCase())) return true;
  // Of a number only the magnitude becomes a feature.
  return typeof value === 'string' && (value.includes('@') || MANY_DIGITS.test(value));
}

const feature = (kind: number, text: string, label: string): Feature => ({
  key: hash32(text) || 1,
  label,
  value: 1,
  kind,
});

function scaled(features: readonly Feature[]): Feature[] {
  // Four decimals, as they are stored.
  const value = Math.round(1e4 * Math.min(1, Math.sqrt(GROUP / Math.max(1, features.length)))) / 1e4;
  return features.map((each) => ({ ...each, value }));
}

function scalars(record: Readonly<Record<string, TraitValue>>): [string, TraitValue][] {
  return Object.keys(record)
    .sort()
    .map((name) => [name, record[name]!] as [string, TraitValue])
    .filter(([, value]) => value !== '' && value !== null && value !== undefined);
}

/** A count by powers of two: 1, 2 or 3, 4 to 7, and so on. */
const often = (count: number) => Math.floor(Math.log2(Math.max(count, 1)));

/** Maps a number to its magnitude, so that 41.3 and 41.9 are equal; other values are unchanged. */
const bucket = (value: TraitValue) => (typeof value === 'number' ? magnitude(value) : String(value));

/** Whole numbers up to 10 unchanged, others by half powers of two. */
function magnitude(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) <= 10) return String(value);
  return `${value < 0 ? '-' : ''}2^${Math.round(2 * Math.log2(Math.abs(value) || 1)) / 2}`;
}

const AGES = [3600e3, 86_400e3, 7 * 86_400e3, 30 * 86_400e3];
const recency = (age: number) => AGES.findIndex((limit) => age < limit);

/** Features as they are stored: for each kind a list [key, value, key, value, …], without labels. */
export const packFeatures = (features: readonly Feature[]): number[][] =>
  KINDS.map((each) =>
    features.flatMap(({ key, value, kind }) => (kind === each ? [key, Math.round(value * 1e4) / 1e4] : [])),
  );

/**
 * The features as they were stored. None is stored of an erased user's decision. It keeps the bias: without it, the model
 * would expect a response with probability 0.5.
 */
export function unpackFeatures(packed: readonly (readonly number[])[]): Feature[] {
  const features: Feature[] = [];
  for (const [i, list] of packed.entries())
    for (let at = 0; at + 1 < list.length; at += 2)
      features.push({ key: list[at]!, value: list[at + 1]!, label: '', kind: KINDS[i]! });
  return features.length > 0 ? features : [BIAS];
}
