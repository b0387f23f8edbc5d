import { type Ambiguity, flagText } from './ambiguity.ts';
import type { Flag } from './flag.ts';
import type { Suggestion } from './suggest.ts';

/** A time that stands for those that are not known. */
const ANY_TIME = '2000-01-01T00:00:00Z';

/**
 * The suggested flags with something in place of each placeholder, so that records can be counted and judged for all that
 * is known.
 */
export function trialFlags({ flags, ambiguities }: Pick<Suggestion, 'flags' | 'ambiguities'>): Flag[] {
  const open = new Set(ambiguities.map(({ flag }) => flag));
  const kept = flags.filter((flag) => !open.has(flagText(flag)));
  const fields = new Map(ambiguities.flatMap(({ flag }) => standIn(flag)));
  // A constant takes the place of the column whose form is open.
  const rules = kept.filter(([name, rule]) => !(name === 'map' && fields.has(rule!.split('=', 1)[0]!)));
  return [...rules, ...[...fields].map(([field, value]) => ['set', `${field}=${value}`] as const)];
}

/** Returns whether it is not known how times are read. */
export function isTimeOpen({ ambiguities }: Pick<Suggestion, 'ambiguities'>): boolean {
  return ambiguities.some(({ flag }) => standIn(flag).some(([field]) => field === 'timestamp'));
}

function standIn(flag: Ambiguity['flag']): [field: string, value: string][] {
  const [, field] = /^--(?:set|map) (userId|event|timestamp)=/.exec(flag) ?? [];
  if (field === undefined) return flag.startsWith('--timestamp-format ') ? [['timestamp', ANY_TIME]] : [];
  return [[field, field === 'timestamp' ? ANY_TIME : 'unknown']];
}
