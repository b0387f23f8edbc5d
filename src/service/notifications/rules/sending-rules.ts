import { quietUntil } from '../../../kit/time/quiet-hours.ts';
import type { CapScope, MarketingRules } from '../../catalog/templates/marketing-rules.ts';
import { type ConsentStatement, consentTo } from '../../users/consent.ts';
import { dayAround, weekStart } from '../../users/contact-day.ts';

/** Messages that a user was sent today, and within seven days including today. */
export interface SentCount {
  readonly day: number;
  readonly week: number;
}

/** A marketing message that is about to be sent to a user. */
export interface Marketing {
  readonly now: number;
  readonly channel: string;
  /** The user's time zone, or the one of users whose own is not known. */
  readonly timeZone: string | undefined;
  readonly statements: readonly ConsentStatement[];
  /** Earlier messages, by the scope of the caps. */
  readonly sent: Readonly<Record<CapScope, SentCount>>;
}

/** Why a message waits. */
type HoldReason = 'paused' | 'scheduled' | 'quiet_hours' | 'day_cap' | 'week_cap';

/** Why a message is never sent. */
type RefusalReason = 'ended' | 'opted_out' | 'not_opted_in' | 'expired';

/** `hold`: to be looked at again at `until`, Unix ms. */
export type Verdict =
  | { readonly verdict: 'send' }
  | { readonly verdict: 'hold'; readonly reason: HoldReason; readonly until: number }
  | { readonly verdict: 'refuse'; readonly reason: RefusalReason };

export const SEND: Verdict = { verdict: 'send' };

/** The first instants of the periods that caps count, Unix ms. */
export function capPeriods(now: number, timeZone: string | undefined): { day: number; week: number } {
  return { day: dayAround(now, timeZone).start, week: weekStart(now, timeZone) };
}

/** Decides whether a marketing message is sent now, waits, or is never sent. */
export function marketingVerdict(rules: MarketingRules, of: Marketing): Verdict {
  const consent = consentTo(of.statements, of.channel, rules.category);
  if (consent === 'out') return { verdict: 'refuse', reason: 'opted_out' };
  if (rules.requireOptIn && consent !== 'in') return { verdict: 'refuse', reason: 'not_opted_in' };
  const quiet = rules.quietHours && quietUntil(of.now, of.timeZone, rules.quietHours);
  if (quiet !== undefined) return { verdict: 'hold', reason: 'quiet_hours', until: quiet };
  for (const { of: scope, perDay, perWeek } of rules.caps) {
    const { day, week } = of.sent[scope];
    const reason: HoldReason | undefined =
      perWeek !== undefined && week >= perWeek
        ? 'week_cap'
        : perDay !== undefined && day >= perDay
          ? 'day_cap'
          : undefined;
    if (reason) return { verdict: 'hold', reason, until: dayAround(of.now, of.timeZone).end };
  }
  return SEND;
}

/** A template that is paused is looked at again after a time that grows with its age, in ms. */
const PAUSED_MS = { least: 5_000, most: 300_000, share: 0.05 } as const;

/** When notifications of a template are sent; times are Unix ms. */
export interface Schedule {
  readonly paused: boolean;
  readonly activeFrom: number | undefined;
  readonly activeUntil: number | undefined;
}

/** Decides whether a notification that was to be sent at `sendFrom` waits for its template, or is never sent. */
export function scheduleVerdict(
  { paused, activeFrom, activeUntil }: Schedule,
  now: number,
  sendFrom: number,
): Verdict {
  if (activeUntil !== undefined && now >= activeUntil) return { verdict: 'refuse', reason: 'ended' };
  const { least, most, share } = PAUSED_MS;
  const look = now + Math.min(most, Math.max(least, (now - sendFrom) * share));
  if (paused) return { verdict: 'hold', reason: 'paused', until: Math.round(look) };
  // A schedule may be changed meanwhile, so it is looked at again before.
  if (activeFrom !== undefined && now < activeFrom)
    return { verdict: 'hold', reason: 'scheduled', until: Math.round(Math.min(look, activeFrom)) };
  return SEND;
}

/** Applies the time until which a message is worth sending, Unix ms: it waits no longer, and is refused from then on. */
export function withinValidity(verdict: Verdict, now: number, validUntil: number | undefined): Verdict {
  if (validUntil === undefined || verdict.verdict === 'refuse') return verdict;
  if (now >= validUntil) return { verdict: 'refuse', reason: 'expired' };
  return verdict.verdict === 'hold' ? { ...verdict, until: Math.min(verdict.until, validUntil) } : verdict;
}
