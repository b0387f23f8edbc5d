import type { VNode } from 'preact';
import { fallbacksOf } from '../../../kit/locale.ts';
import { offers } from '../../data/about.ts';
import { call } from '../../data/api.ts';
import { languageOf } from '../../data/languages.ts';
import { useResource } from '../../data/resource.ts';
import { count, counted } from '../../parts/numbers.ts';
import { Text } from '../../parts/text.tsx';

/** Locales that are suggested, at most. */
const MOST = 6;

/** The locales of the latest users that have no translation yet, the most frequent first: each adds one. */
export function SuggestedLocales(props: { taken: readonly string[]; add: (locale: string) => void }): VNode {
  const { taken, add } = props;
  const { value } = useResource(offers('listUsers') ? 'locales' : undefined, async (signal) => {
    const { users } = await call('listUsers', { signal });
    return { users: users.length, locales: mostFrequent(users.map(({ locale }) => locale)) };
  });
  const left = value?.locales.filter(([tag]) => !taken.includes(tag)) ?? [];
  // Its lines are there before its words.
  return (
    <fieldset class="suggested" aria-label="Locales of users">
      <p class="note">{value ? wordsOf(value, left.length) : '\u00a0'}</p>
      <div class="chips">
        {left.slice(0, MOST).map(([tag, users]) => (
          <button type="button" onClick={() => add(tag)}>
            <Text of={tag} /> {languageOf(tag)} <strong>{count(users)}</strong>
            <span class="visually-hidden"> {users === 1 ? 'user' : 'users'}</span>
          </button>
        ))}
      </div>
    </fieldset>
  );
}

function wordsOf({ users, locales }: { users: number; locales: readonly unknown[] }, left: number): string {
  const latest = users === 1 ? 'the latest user' : `the latest ${counted(users, 'user')}`;
  if (users === 0) return 'No users yet whose locales could be suggested.';
  if (locales.length === 0) return `No locale is known of ${latest}.`;
  return left === 0 ? `Every locale of ${latest} has a translation.` : `Or choose a locale of ${latest}:`;
}

/**
 * How many users have a locale or one that falls back to it, the most frequent first: with users of `de-DE` and `de-AT`, also
 * `de`, which is for both. A locale is left out where a shorter one has the same users.
 */
function mostFrequent(locales: readonly (string | null)[]): (readonly [tag: string, users: number])[] {
  const counts = new Map<string, number>();
  for (const tag of locales.flatMap(fallbacksOf)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts]
    .filter(([tag, users]) => counts.get(fallbacksOf(tag)[1] ?? '') !== users)
    .sort(([, a], [, b]) => b - a);
}
