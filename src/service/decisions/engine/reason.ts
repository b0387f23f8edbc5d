import { removalWords } from '../../../kit/removal-words.ts';
import type { Explanation } from './explain.ts';
import { type Context, NAMED_PLACES } from './features.ts';
import type { Removed } from './removed.ts';

/** Rules that a reason names; of further ones it gives the number. A catalog may have one for each content. */
const MAX_RULES = 5;
/** Effects on the expected reward below this are not mentioned. */
const SLIGHT = 0.01;

export interface Chosen {
  readonly policy: 'learned' | 'weights' | 'holdout';
  /** The goal of the guard that stopped the learned choice; undefined for none. */
  readonly stoppedBy: string | undefined;
  readonly context: Context;
  /** Traits whose rules admitted the content. */
  readonly rules: readonly string[];
  /** The number of learned outcomes of this content. */
  readonly seen: number;
  /** What moved the choice; null unless it is the best. */
  readonly explanation: Explanation | null;
  readonly ranking: number;
  /** Its assumed probability of a reward before any outcome. */
  readonly prior: number;
  /** How many candidates there were, and how many of the others rank higher and the same. */
  readonly candidates: number;
  readonly higher: number;
  readonly level: number;
}

/** Explains why a content is eligible and which feature had the largest effect. */
export function reasonFor(chosen: Chosen): string {
  const { candidates, higher, level } = chosen;
  const { rules } = chosen;
  const admitted = rules.length === 0 ? '' : ` by the rule on trait ${few([...new Set(rules)])}`;
  const parts = [`Eligible${placeOf(chosen.context)}${admitted}`];
  if (candidates === 1) parts.push('the only candidate');
  else if (chosen.stoppedBy !== undefined)
    parts.push(
      `one of ${candidates}, chosen evenly, as the guard of goal ${chosen.stoppedBy} stopped the learned choice`,
    );
  else if (chosen.policy === 'weights')
    parts.push(`one of ${candidates} by the fixed weights of the placement`);
  else if (chosen.policy === 'holdout')
    parts.push(`one of ${candidates}, chosen evenly for the holdout group`);
  else if (higher === 0)
    parts.push(`ranked first of ${candidates}${level > 0 ? `, level with ${level}` : ''}`);
  else parts.push(`ranked ${ordinal(higher + 1)} of ${candidates}, chosen to learn what it earns`);
  parts.push(evidence(chosen));
  return `${parts.join('; ')}.`;
}

function evidence({ seen, explanation, ranking, prior }: Chosen): string {
  if (seen === 0)
    return Math.abs(ranking - prior) < SLIGHT
      ? 'no outcomes yet, ranked by its prior'
      : `no outcomes yet: its prior is ${rounded(prior)}, what others earned here makes it ${rounded(ranking)}`;
  const weighed = (explanation?.effects ?? [])
    .filter(({ effect }) => Math.abs(effect) >= SLIGHT)
    .slice(0, 2)
    .map(({ feature, value, effect }) => {
      const name = NAMED_PLACES.includes(feature) ? `${feature} ${value}` : feature;
      return `${name} speaks ${effect > 0 ? 'for' : 'against'} it`;
    });
  return [`learned from ${seen} ${seen === 1 ? 'outcome' : 'outcomes'}`, ...weighed].join(', ');
}

const rounded = (n: number) => Number(n.toFixed(3));

/** Explains why no content is eligible: which guardrail or rule excluded which. */
export function reasonForNone(
  removed: readonly Removed[],
  cap: { max: number; today: number } | null,
): string {
  if (cap)
    return `Nothing chosen: maxDailyContacts ${cap.max} is reached, the user had ${cap.today} ${cap.today === 1 ? 'contact' : 'contacts'} today.`;
  if (removed.length === 0) return 'Nothing chosen: the catalog holds no content.';
  const parts = removed
    .slice(0, MAX_RULES)
    .map((each) => `${removalWords(each)} removed ${few(each.contentIds, each.count)}`);
  const others = removed.slice(MAX_RULES);
  if (others.length > 0) {
    const contents = others.reduce((sum, { count }) => sum + count, 0);
    parts.push(
      `${others.length} more ${others.length === 1 ? 'rule' : 'rules'} removed ${contents} ${contents === 1 ? 'content' : 'contents'}`,
    );
  }
  return `Nothing chosen: ${parts.join('; ')}.`;
}

/** Names the first of `count` identifiers. */
function few(ids: readonly string[], count = ids.length): string {
  return count <= 3 ? ids.join(', ') : `${ids.slice(0, 2).join(', ')} and ${count - 2} more`;
}

function placeOf(context: Context): string {
  const { channel, surface, locale } = context;
  return `${channel ? ` for ${channel}` : ''}${surface ? ` on ${surface}` : ''}${locale ? ` in ${locale}` : ''}`;
}

function ordinal(n: number): string {
  const tail = n % 100 >= 11 && n % 100 <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${tail}`;
}
