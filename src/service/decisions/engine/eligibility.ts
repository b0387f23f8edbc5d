import {
  type Audience,
  type Content,
  type EventRule,
  isInTime,
  type TraitRule,
  type TraitValue,
  windowOf,
} from '../../catalog/content.ts';
import type { RepeatRule } from '../../catalog/repeat.ts';
import type { Context } from './features.ts';

/** Why a content is not eligible. */
export type Removal =
  | { readonly rule: 'channel' | 'surface' | 'locale' | 'paused' | 'active' | 'weights' | RepeatRule }
  | { readonly rule: 'trait' | 'event' | 'category' | 'guard'; readonly name: string };

/**
 * Returns the rule that excludes a content for this user, place and time, or null. A context without a channel, surface or
 * locale is not restricted by that rule.
 */
export function removalOf(
  content: Content,
  context: Context,
  audience: Audience,
  now: number,
): Removal | null {
  if (!listed(content.channels, context.channel)) return { rule: 'channel' };
  if (!listed(content.surfaces, context.surface)) return { rule: 'surface' };
  if (content.locales.length > 0 && context.locale && !spoken(content.locales, String(context.locale)))
    return { rule: 'locale' };
  if (content.paused) return { rule: 'paused' };
  if (!isInTime(content, now)) return { rule: 'active' };
  for (const rule of content.traits)
    if (!traitHolds(rule, audience)) return { rule: 'trait', name: rule.trait };
  for (const rule of content.events)
    if (!eventHolds(rule, audience)) return { rule: 'event', name: rule.event };
  return null;
}

function listed(allowed: readonly string[], value: TraitValue | undefined): boolean {
  return allowed.length === 0 || !value || allowed.includes(String(value));
}

/** A locale matches its tag and every shorter prefix of it: `en` covers `en-GB` (RFC 4647, basic filtering). */
function spoken(ranges: readonly string[], locale: string): boolean {
  const tag = locale.toLowerCase();
  return ranges.some((range) => {
    const wanted = range.toLowerCase();
    return tag === wanted || tag.startsWith(`${wanted}-`);
  });
}

function traitHolds(rule: TraitRule, { traits }: Audience): boolean {
  const value = Object.hasOwn(traits, rule.trait) ? traits[rule.trait] : undefined;
  if (rule.exists !== undefined && (value !== undefined) !== rule.exists) return false;
  if (rule.equals !== undefined && value !== rule.equals) return false;
  if (rule.oneOf && (value === undefined || !rule.oneOf.includes(value))) return false;
  if (rule.atLeast !== undefined && !(typeof value === 'number' && value >= rule.atLeast)) return false;
  if (rule.atMost !== undefined && !(typeof value === 'number' && value <= rule.atMost)) return false;
  return true;
}

function eventHolds(rule: EventRule, { events }: Audience): boolean {
  const count = events.get(windowOf(rule)) ?? 0;
  return count >= (rule.atLeast ?? 0) && count <= (rule.atMost ?? Number.POSITIVE_INFINITY);
}
