/** What a user said about marketing: `in` asks for it, `out` refuses it. Null stands for any channel or category. */
export interface ConsentStatement {
  readonly channel: string | null;
  readonly category: string | null;
  readonly state: 'in' | 'out';
}

/** The part of a statement that says what it is about. */
export type ConsentScope = Pick<ConsentStatement, 'channel' | 'category'>;

/** What a user says about a message; undefined if nothing. */
export type Consent = ConsentStatement['state'] | undefined;

/** A scope as text: `email`, `email/news`, `*\/news`, or `*` for everything. `email/*` is `email`. */
const SCOPE = /^([^/]+)(?:\/(.+))?$/;

/** Parses a scope such as `email/news`; undefined if it is malformed. */
export function parseScope(text: string): ConsentScope | undefined {
  const [, channel, category] = SCOPE.exec(text) ?? [];
  if (channel === undefined) return undefined;
  const named = (part: string | undefined) => (part === undefined || part === '*' ? null : part);
  return { channel: named(channel), category: named(category) };
}

export function scopeText({ channel, category }: ConsentScope): string {
  return category === null ? (channel ?? '*') : `${channel ?? '*'}/${category}`;
}

/**
 * What the statements of a user say about a message. The most specific statement holds; of two that are equally
 * specific, the refusal. A statement has replaced all earlier ones within its scope.
 */
export function consentTo(
  statements: readonly ConsentStatement[],
  channel: string,
  category: string | undefined,
): Consent {
  let found: ConsentStatement | undefined;
  for (const each of statements) {
    if (each.channel !== null && each.channel !== channel) continue;
    if (each.category !== null && each.category !== category) continue;
    const more = found === undefined ? 1 : specificity(each) - specificity(found);
    if (more > 0 || (more === 0 && each.state === 'out')) found = each;
  }
  return found?.state;
}

const specificity = ({ channel, category }: ConsentScope) =>
  (channel === null ? 0 : 1) + (category === null ? 0 : 1);
