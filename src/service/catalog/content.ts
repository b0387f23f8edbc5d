import { fallbacksOf } from '../../kit/locale.ts';
import type { RepeatRules } from './repeat.ts';

/** A content of the catalog. Times are Unix ms. An empty list of channels, surfaces or locales means any. */
export interface Content {
  readonly contentId: string;
  readonly category: string;
  readonly channels: readonly string[];
  readonly surfaces: readonly string[];
  readonly locales: readonly string[];
  readonly format: 'card' | 'modal' | 'embedded' | 'full-screen';
  /** Hashes of the format and tags that it shares with other contents of the catalog. */
  readonly attributes: readonly number[];
  readonly title: string;
  readonly body: string;
  /** Its title and body in other languages, by canonical locale. */
  readonly texts?: Readonly<Record<string, ContentText>> | undefined;
  readonly paused?: boolean | undefined;
  readonly activeFrom?: number | undefined;
  readonly activeUntil?: number | undefined;
  readonly traits: readonly TraitRule[];
  readonly events: readonly EventRule[];
  /** Assumed probability of a reward before any outcome, between 0 and 1. */
  readonly prior: number;
  readonly repeat?: RepeatRules | undefined;
}

/** True from `activeFrom` to before `activeUntil`. `now` is in Unix ms. */
export const isInTime = ({ activeFrom, activeUntil }: Content, now: number): boolean =>
  (activeFrom === undefined || now >= activeFrom) && (activeUntil === undefined || now < activeUntil);

/** What a content says. */
export interface ContentText {
  readonly title: string;
  readonly body: string;
}

/** What a content says in a locale, such as `de-AT`: in that, else in `de`, else in its own language. */
export function textIn(content: Content, locale: TraitValue | undefined): ContentText {
  const { texts } = content;
  if (!texts || typeof locale !== 'string') return content;
  const found = fallbacksOf(locale).find((tag) => Object.hasOwn(texts, tag));
  return found === undefined ? content : texts[found]!;
}

export type TraitValue = string | number | boolean;

/** A condition on a trait of the user. All the parts that are given must hold. */
export interface TraitRule {
  readonly trait: string;
  readonly exists?: boolean | undefined;
  readonly equals?: TraitValue | undefined;
  readonly oneOf?: readonly TraitValue[] | undefined;
  readonly atLeast?: number | undefined;
  readonly atMost?: number | undefined;
}

/** A condition on how often an event of the user happened in the last days. */
export interface EventRule {
  readonly event: string;
  readonly withinDays: number;
  readonly atLeast?: number | undefined;
  readonly atMost?: number | undefined;
  /** The result of `windowOf`, where it was computed before. */
  readonly window?: string;
}

/** The attributes of the user for a decision. Never a name, a phone or an account number. */
export interface Audience {
  readonly traits: Readonly<Record<string, TraitValue>>;
  /** How often an event happened in the days of a rule, by `windowOf` the rule; counted up to the highest number of any rule. */
  readonly events: ReadonlyMap<string, number>;
}

/** The key of the events that a rule counts: rules with the same event and number of days share a count. */
export function windowOf({ event, withinDays, window }: EventRule): string {
  return window ?? `${withinDays} ${event}`;
}

/** The number of events that decides a rule; more have no effect. */
export function enoughFor({ atLeast = 0, atMost = -1 }: EventRule): number {
  return Math.max(atLeast, atMost + 1);
}
