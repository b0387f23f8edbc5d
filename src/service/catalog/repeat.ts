/** How often a content may be chosen for one user; a rule that is left out does not hold. */
export interface RepeatRules {
  /** Not chosen again for so long after it was chosen, in ms. */
  readonly cooldownMs?: number | undefined;
  /** Not chosen more often than this. */
  readonly mostPerUser?: number | undefined;
  /** Not chosen again for so long after it was dismissed or actioned, in ms. */
  readonly afterOutcomeMs?: number | undefined;
}

/** What a user has had of a content. Times are Unix ms. */
export interface Shown {
  readonly times: number;
  readonly lastAt: number;
  /** When it was last dismissed or actioned; null if it never was. */
  readonly closedAt: number | null;
}

export type RepeatRule = 'cooldown' | 'mostPerUser' | 'afterOutcome';

/** The rule that keeps a content from being chosen again for a user; null if none does. */
export function repeatRuleOf(
  rules: RepeatRules | undefined,
  shown: Shown | undefined,
  now: number,
): RepeatRule | null {
  if (!rules || !shown) return null;
  const { cooldownMs, mostPerUser } = rules;
  if (mostPerUser !== undefined && shown.times >= mostPerUser) return 'mostPerUser';
  if (isClosed(rules, shown, now)) return 'afterOutcome';
  // A count of 0 is of a message that was withdrawn before it was served.
  if (cooldownMs !== undefined && shown.times > 0 && now < shown.lastAt + cooldownMs) return 'cooldown';
  return null;
}

/** True while a user is not to see a content again because they dismissed or actioned it. */
export function isClosed(rules: RepeatRules | undefined, shown: Shown | undefined, now: number): boolean {
  const [ms, at] = [rules?.afterOutcomeMs ?? null, shown?.closedAt ?? null];
  return ms !== null && at !== null && now < at + ms;
}
