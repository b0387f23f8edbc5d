import { MASKED, maskPersonal } from '../../../kit/personal-data.ts';
import { BIAS, type Feature, PLACES } from './features.ts';
import type { Distribution } from './numbers.ts';

/** Features that an explanation names. */
const MAX_EFFECTS = 5;
/** Effects on the expected reward below this are not named. */
const SLIGHT = 0.001;
/** Characters of a name, and of a value, in an explanation. */
const MAX_NAME = 64;
const MAX_VALUE = 40;
/** How far, in standard deviations from the mean, a number is changed. */
const FAR = 2;
/** Steps towards the change of a number, on a lead that is nearly a line. */
const STEPS = 3;
/** Whether features look personal, by key: a service meets the same ones in every decision. */
const MAX_LOOKED_AT = 4096;
const looksPersonal = new Map<number, boolean>();

/** Two candidates of a decision, compared; or one with nothing. */
export interface Comparison {
  /** What each feature adds to the lead of the first, in the reward's unit. */
  readonly effects: Float64Array;
  /** What the user's own preference adds, beyond the features. */
  readonly preference: number;
  /** The lead of the first, about, where a feature has another number or, for null, is missing. */
  leadWith(feature: number, number: number | null): number;
  /** Whether the first is ahead of the second with these features. */
  isAhead(features: readonly Feature[]): boolean;
  /** The numbers that can be changed; others can only be missing. */
  readonly numbers: ReadonlyMap<number, Distribution>;
}

/** What moved a choice. */
export interface Explanation {
  /** The best candidate and the next one, by what the choice goes by; null for a single one. */
  readonly winner: string;
  readonly runnerUp: string | null;
  /** The largest effects of features on the lead of the winner, of a single one on what it earns, in the reward's unit. */
  readonly effects: readonly (Named & { readonly effect: number })[];
  /** The smallest change of one of these features by which the runner-up would have been ahead; null if there is none. */
  readonly change: Change | null;
}

interface Named {
  readonly feature: string;
  readonly value: string;
}

/** `to` null: the feature is missing. */
type Change = Named & { readonly to: number | null };

/** Explains the choice of the best candidate before the second best, if there is one. Null if no feature had an effect. */
export function explain(
  [winner, runnerUp]: readonly [string, string | null],
  features: readonly Feature[],
  comparison: Comparison,
): Explanation | null {
  const { effects, preference } = comparison;
  const moved: { readonly effect: number; readonly of: Feature }[] = [];
  const add = (effect: number, of: Feature) => {
    if (of.label !== '' && Math.abs(effect) >= SLIGHT) moved.push({ effect, of });
  };
  for (let i = 0; i < effects.length; i++) add(effects[i]!, features[i]!);
  add(preference, PREFERENCE);
  moved.sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect)).splice(MAX_EFFECTS);
  if (moved.length === 0) return null;
  const changeable = moved.map(({ of }) => features.indexOf(of)).filter((i) => i >= 0);
  return {
    winner,
    runnerUp,
    effects: moved.map(({ effect, of }) => ({ ...named(of), effect: rounded(effect) })),
    change: runnerUp === null ? null : smallestChange(changeable, features, comparison),
  };
}

/** Stands for what the user's earlier responses tell beyond the features. */
const PREFERENCE: Feature = { ...BIAS, label: "the user's own preference" };

/**
 * The change of the fewest standard deviations; that a text is missing counts as one. The place is not changed: its fields
 * are features together, too.
 */
function smallestChange(
  candidates: readonly number[],
  features: readonly Feature[],
  { leadWith, isAhead, numbers }: Comparison,
): Change | null {
  const found: { readonly i: number; readonly to: number | null; readonly size: number }[] = [];
  for (const i of candidates) {
    const { key, number, kind } = features[i]!;
    if (kind & PLACES) continue;
    const distribution = number === null ? undefined : numbers.get(key);
    if (!distribution?.varies) {
      if (leadWith(i, null) < 0) found.push({ i, to: null, size: 1 });
      continue;
    }
    const deviation = Math.sqrt(distribution.variance);
    for (const towards of [-1, 1]) {
      const end = distribution.mean + towards * FAR * deviation;
      if ((end - number!) * towards <= 0 || leadWith(i, end) >= 0) continue;
      let [near, far] = [number!, end];
      let [ahead, behind] = [leadWith(i, near), leadWith(i, far)];
      for (let step = 0; step < STEPS && ahead > 0; step++) {
        const middle = near + ((far - near) * ahead) / (ahead - behind);
        const lead = leadWith(i, middle);
        if (lead < 0) [far, behind] = [middle, lead];
        else [near, ahead] = [middle, lead];
      }
      // A little further, since the lead is not known exactly.
      const to = rounded(far + (far - number!) / 10);
      found.push({ i, to, size: Math.abs(to - number!) / deviation });
    }
  }
  const smallest = found.sort((a, b) => a.size - b.size)[0];
  if (!smallest) return null;
  const { i, to } = smallest;
  const before = features[i]!;
  const changed = features.flatMap((each) =>
    each !== before ? [each] : to === null ? [] : [{ ...each, number: to }],
  );
  return isAhead(changed) ? null : { ...named(before), to };
}

/** The name and value of a feature, without what looks personal. Of a number, only the name tells. */
function named({ key, label, value, number }: Feature): Named {
  let isPersonal = looksPersonal.get(key);
  if (isPersonal === undefined) {
    if (looksPersonal.size >= MAX_LOOKED_AT) looksPersonal.clear();
    isPersonal = maskPersonal(label, number === null ? value : 0) === MASKED;
    looksPersonal.set(key, isPersonal);
  }
  const told = number === null ? value : String(number);
  return { feature: label.slice(0, MAX_NAME), value: isPersonal ? MASKED : told.slice(0, MAX_VALUE) };
}

const rounded = (value: number) => Number(value.toPrecision(3));
