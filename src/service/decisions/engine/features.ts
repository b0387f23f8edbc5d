import { hash32, mix } from '../../../kit/hash32.ts';
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

/** One column of a decision: a text, whose key stands for its name and value, or a number with the key of its name. */
export interface Feature {
  readonly key: number;
  /** The name for people, and the text; empty where it was read from the log. */
  readonly label: string;
  readonly value: string;
  /** Null for a text. */
  readonly number: number | null;
  /** One of `KINDS`. */
  readonly kind: number;
}

/** What a feature tells of: the place of a decision, the user's traits, or what the user did. Bits of a set. */
const [PLACE, COMBINATION, TRAIT, EVENT, HISTORY] = [1, 2, 4, 8, 16];
const KINDS = [PLACE, COMBINATION, TRAIT, EVENT, HISTORY] as const;
/** The sets of kinds that matter together. */
export const PLACES = PLACE | COMBINATION;
export const TRAITS = TRAIT;
export const DEEDS = EVENT | HISTORY;
export const ALL_KINDS = PLACES | TRAITS | DEEDS;

/** The feature that every decision has. */
export const BIAS: Feature = { key: 0, label: '', value: '', number: null, kind: PLACE };

/** Most features of one decision, the bias and the combination included. */
export const MAX_FEATURES_PER_DECISION = 96;

/** The fields whose values a reason may repeat: they name a place, not a person. */
export const NAMED_PLACES = ['channel', 'surface', 'locale'];

const COMBINED = 'this combination of context';

/** Traits and fields that name or reach a person: never a feature, not even hashed. Matched in snake_case. */
const IDENTIFYING =
  /^((full|first|last|sur|given|family|middle|nick|user|display|customer|contact|legal|holder|account_holder|cardholder)_?)?name$|(^|_)(phone|mobile|msisdn|telephone|e_?mail|iban|ssn|address)(_?number|_|$)|(^|_)(account|acct|card)_?(number|num|no|nr|id)$/;
/** Seven digits or more, as in a number of a phone or an account; a month such as 2026-03 has fewer. */
const MANY_DIGITS = /\d([\s()./-]*\d){6}/;
const FEWEST_DIGITS = 7;

/** Significant digits of a number in the log and the model, and the largest magnitude: its square is finite. */
const DIGITS = 5;
const LARGEST = 1e150;

/** What is known of a name: its hash, what people read, and whether it identifies a person. */
interface Name {
  readonly key: number;
  readonly label: string;
  readonly identifies: boolean;
}

const LABELS = {
  field: (name: string) => name,
  trait: (name: string) => `trait ${name}`,
  event: (name: string) => `the number of ${name} events`,
  'event last': (name: string) => `the last ${name}`,
  history: (name: string) => `earlier messages ${name}`,
};
type Group = keyof typeof LABELS;

/** Names are looked at once: a service meets the same ones in every decision. Of each group at most so many. */
const MAX_NAMES = 4096;
const names: Record<Group, Map<string, Name>> = {
  field: new Map(),
  trait: new Map(),
  event: new Map(),
  'event last': new Map(),
  history: new Map(),
};

function nameOf(group: Group, name: string): Name {
  const met = names[group];
  let known = met.get(name);
  if (!known) {
    if (met.size >= MAX_NAMES) met.clear();
    const words = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/[\s.-]+/g, '_');
    known = {
      key: hash32(`${group} ${name}`),
      label: LABELS[group](name),
      identifies: IDENTIFYING.test(words.toLowerCase()),
    };
    met.set(name, known);
  }
  return known;
}

/**
 * The features of a decision, by hashing (Weinberger et al., 2009): one for each field of the context and their
 * combination, the user's traits, frequent events, and the outcomes of earlier messages. Names and texts enter as 32-bit
 * hashes, numbers to five significant digits. The order is that of the keys, so that equal decisions give equal sums.
 * Of more than fit, those that `isKnown` are kept first.
 */
export function featuresOf(
  context: Context,
  person: Person = {},
  isKnown: (key: number) => boolean = () => false,
): Feature[] {
  const fields = scalars(PLACE, 'field', context);
  const traits = scalars(TRAIT, 'trait', person.traits ?? {});
  const deeds: Feature[] = [];
  for (const { event, count, age } of person.events ?? []) {
    if (count <= 0) continue;
    deeds.push(
      number(EVENT, nameOf('event', event), count),
      text(EVENT, nameOf('event last', event), recency(age)),
    );
  }
  for (const [what, count] of Object.entries(person.history ?? {}))
    deeds.push(number(HISTORY, nameOf('history', what), count));
  const room = MAX_FEATURES_PER_DECISION - 2;
  const others = limited(deeds, Math.floor(room / 2), isKnown);
  const places = limited(
    fields,
    Math.max(room - others.length - traits.length, Math.floor(room / 4)),
    isKnown,
  );
  const features = [
    BIAS,
    ...places,
    ...limited(traits, room - others.length - places.length, isKnown),
    ...others,
  ];
  if (places.length > 1) features.push(combinationOf(places));
  return features;
}

/** Columns of which a name is known, by key. */
const MAX_COLUMNS = 16_384;
const columns = new Map<number, string>();

/**
 * Remembers what a column is called, for `svc model`: a trait, an event or a field. Of a text only what names a place or a
 * time, or `true` and `false`: others are of persons.
 */
function remember(key: number, label: string, value: string): void {
  if (columns.has(key)) return;
  if (columns.size >= MAX_COLUMNS) columns.clear();
  columns.set(key, value === '' ? label : `${label} ${value}`);
}

/** The name of a column for people, if this process has met it. */
export const nameOfColumn = (key: number): string | undefined => columns.get(key);

/** The keys that a number has by its magnitude, with their ranges. */
export function* magnitudeRows(key: number): Generator<readonly [number, string]> {
  yield [derivedKey(key, 1000), 'at 0'];
  for (let octave = -10; octave < 50; octave++) {
    const [from, to] = [2 ** octave, 2 ** (octave + 1)];
    yield [derivedKey(key, 1000 + magnitude(from)), `from ${from} to below ${to}`];
    yield [derivedKey(key, 1000 + magnitude(-from)), `from -${from} to above -${to}`];
  }
}

/** All fields of the context together, numbers by their magnitude. */
function combinationOf(places: readonly Feature[]): Feature {
  const key = places.reduce((sum, place) => mix(sum ^ magnitudeKey(place)), 0);
  remember(key || 1, COMBINED, '');
  return { key: key || 1, label: COMBINED, value: '', number: null, kind: COMBINATION };
}

/** Sorts features by key and takes at most `limit`. */
function limited(features: Feature[], limit: number, isKnown: (key: number) => boolean): Feature[] {
  const byKey = (a: Feature, b: Feature) => a.key - b.key;
  if (features.length <= limit) return features.sort(byKey);
  const [known, unknown]: Feature[][] = [[], []];
  for (const each of features) (isKnown(each.key) ? known! : unknown!).push(each);
  return [...known!.sort(byKey), ...unknown!.sort(byKey)].slice(0, limit).sort(byKey);
}

function scalars(kind: number, group: Group, record: Readonly<Record<string, TraitValue>>): Feature[] {
  const features: Feature[] = [];
  for (const name in record) {
    const value = record[name];
    if (value === '' || value === null || value === undefined || !Object.hasOwn(record, name)) continue;
    const place = kind === PLACE && NAMED_PLACES.includes(name);
    const known = nameOf(group, name);
    if (!place && (known.identifies || looksPersonal(value))) continue;
    features.push(typeof value === 'number' ? number(kind, known, value) : text(kind, known, String(value)));
  }
  return features;
}

/** A text that may be an address or a number of a phone or an account. */
const looksPersonal = (value: TraitValue) =>
  typeof value === 'string' &&
  (value.includes('@') || (value.length >= FEWEST_DIGITS && MANY_DIGITS.test(value)));

function text(kind: number, { key: name, label }: Name, value: string): Feature {
  const key = mix(name ^ hash32(value)) || 1;
  const isPublic =
    kind === EVENT ||
    (kind === PLACE && NAMED_PLACES.includes(label)) ||
    value === 'true' ||
    value === 'false';
  remember(key, label, isPublic ? value : '');
  return { key, label, value, number: null, kind };
}

function number(kind: number, { key, label }: Name, given: number): Feature {
  remember(key || 1, label, '');
  return { key: key || 1, label, value: '', number: shortened(given), kind };
}

/** A number as the log and the model have it. Small whole ones are as they are. */
function shortened(given: number): number {
  if (Number.isInteger(given) && Math.abs(given) < 10 ** DIGITS) return given;
  return Number(Math.min(Math.max(given, -LARGEST), LARGEST).toPrecision(DIGITS));
}

/** The key of one of several rows that a column has. */
export const derivedKey = (key: number, which: number) => mix(key ^ Math.imul(which, 0x9e3779b1)) || 1;

/** The key under which a column is a text: a number counts by its magnitude, so that 41.3 and 41.9 are equal. */
export const magnitudeKey = ({ key, number }: Feature): number =>
  number === null ? key : derivedKey(key, 1000 + magnitude(number));

/** The sign of a number and its octave: 1, 2 to 3, 4 to 7, and so on. */
function magnitude(value: number): number {
  if (value === 0) return 0;
  const octave = 2000 + Math.floor(Math.log2(Math.abs(value)));
  return value < 0 ? -octave : octave;
}

const AGES = [
  [3600e3, 'within an hour'],
  [86_400e3, 'within a day'],
  [7 * 86_400e3, 'within a week'],
  [30 * 86_400e3, 'within a month'],
] as const;
const recency = (age: number) => AGES.find(([limit]) => age < limit)?.[1] ?? 'earlier';

/** Features as they are stored: for each kind a list [key, number or null, key, number or null, …], without labels. */
export const packFeatures = (features: readonly Feature[]): (number | null)[][] =>
  KINDS.map((each) => features.flatMap(({ key, number, kind }) => (kind === each ? [key, number] : [])));

/** Features as the model holds them while they wait: key, number and kind of each, NaN for a text. */
export function compact(features: readonly Feature[]): Float64Array {
  const held = new Float64Array(3 * features.length);
  let at = 0;
  for (const { key, number, kind } of features) {
    held[at++] = key;
    held[at++] = number ?? Number.NaN;
    held[at++] = kind;
  }
  return held;
}

/** The features that were held. */
export function expand(compact: Float64Array): Feature[] {
  const features: Feature[] = [];
  for (let at = 0; at < compact.length; at += 3) {
    const number = compact[at + 1]!;
    features.push({
      key: compact[at]!,
      label: '',
      value: '',
      number: Number.isNaN(number) ? null : number,
      kind: compact[at + 2]!,
    });
  }
  return features;
}

/**
 * The features as they were stored. None is stored of an erased user's decision. It keeps the bias: without it, the model
 * would expect a response with probability 0.5.
 */
export function unpackFeatures(packed: readonly (readonly (number | null)[])[]): Feature[] {
  const features: Feature[] = [];
  for (const [i, list] of packed.entries())
    for (let at = 0; at + 1 < list.length; at += 2)
      features.push({ key: list[at]!, number: list[at + 1]!, label: '', value: '', kind: KINDS[i]! });
  return features.length > 0 ? features : [BIAS];
}
