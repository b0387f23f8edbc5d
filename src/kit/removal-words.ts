/**
 * Says which rule excluded a content from a decision, as the subject of a sentence: `the rule on trait plan`. `name` is
 * the trait, event, category or goal of the rule. A rule of a later version is called by its name.
 */
export function removalWords({ rule, name = '' }: { readonly rule: string; readonly name?: string }): string {
  switch (rule) {
    case 'category':
      return `excludeCategories (${name})`;
    case 'trait':
    case 'event':
      return `the rule on ${rule} ${name}`;
    case 'guard':
      return `the guard of goal ${name}`;
    case 'paused':
      return 'its pause';
    case 'active':
      return 'its active dates';
    case 'weights':
      return 'the fixed weights of the placement';
    case 'cooldown':
      return 'the cooldown after it was chosen';
    case 'mostPerUser':
      return 'mostPerUser';
    case 'afterOutcome':
      return 'the time after it was dismissed or actioned';
    case 'others':
      return 'other rules';
    default:
      return `the ${rule}`;
  }
}

interface Change {
  readonly feature?: unknown;
  readonly value?: unknown;
  /** Null if the feature would have to be missing. */
  readonly to?: unknown;
}

/** Words for the change of a feature by which the runner-up of a decision would have been ahead. */
export const changeWords = ({ feature, value, to }: Change, runnerUp: string): string =>
  to === null
    ? `Without ${feature} (${value}), ${runnerUp} would have been ahead.`
    : `With ${feature} at ${to} instead of ${value}, ${runnerUp} would have been ahead.`;
