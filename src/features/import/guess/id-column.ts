import { MAX_EVENT_ID } from '../../../contract/limits.ts';
import { wordsOf } from '../mapping/column-types.ts';
import type { NameScore } from './names.ts';
import type { Profile } from './profile.ts';

/** Names of columns that hold an id of the event. */
const NAMES = new Map<string, NameScore>([
  ['event_id', 100],
  ['eventid', 100],
  ['event_uuid', 98],
  ['event_guid', 98],
  ['message_id', 94],
  ['messageid', 94],
  ['insert_id', 92],
  ['insertid', 92],
  ['uuid', 80],
  ['guid', 80],
]);
/** Ids of anything; numbers may count the rows of each file. */
const ANY_ID = 40;
/** With fewer records, such a column may be different in each by chance. */
const MIN_VALUES = 20;

/** Finds the column whose values identify the events: unique in the sample, and named like one. */
export function idColumn(profiles: readonly Profile[], taken: ReadonlySet<string>): Profile | undefined {
  let best: { readonly profile: Profile; readonly score: NameScore } | undefined;
  for (const profile of profiles) {
    const score = taken.has(profile.name) || !isUnique(profile) ? 0 : scoreOf(profile);
    if (score > (best?.score ?? 0)) best = { profile, score };
  }
  return best?.profile;
}

function scoreOf({ name, type, total, depth }: Profile): NameScore {
  const own = wordsOf(name.split('.').at(-1) ?? '').join('_');
  if (own === 'id') return depth === 1 && type === 'string' && total >= MIN_VALUES ? ANY_ID : 0;
  return (NAMES.get(own) ?? 0) - 2 * (depth - 1);
}

function isUnique({ type, total, distinct, values }: Profile): boolean {
  return (
    (type === 'string' || type === 'number') &&
    total > 1 &&
    distinct === total &&
    values.every((value) => value.length <= MAX_EVENT_ID)
  );
}
