import type { VNode } from 'preact';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import { search } from '../../data/api.ts';
import type { Filters } from '../../data/filters.ts';
import { count } from '../../parts/numbers.ts';
import { cleaned, Text } from '../../parts/text.tsx';

type User = AnswerOf<'listUsers'>['users'][number];

/** Values of a kind that have a chip. */
const MOST_CHIPS = 6;

/** Marketing that a user refuses: `all`, `sms`, `offers`, or `news by email`. */
export function refusalWords(scope: string): string {
  const [channel, category] = scope.split('/');
  if (category === undefined) return channel === '*' ? 'all' : channel!;
  return channel === '*' ? category : `${category} by ${channel}`;
}

/** What users can be chosen by: its name in the URL, its title, and its values of a user. */
const KINDS = [
  {
    name: 'reach',
    title: 'Can be reached by',
    of: ({ channels }: User) => channels && (channels.length > 0 ? channels : ['nothing']),
  },
  {
    name: 'refuses',
    title: 'Refuses marketing',
    of: ({ optOut }: User) => optOut?.map(refusalWords),
  },
  { name: 'locale', title: 'Locale', of: ({ locale }: User) => [locale ?? 'none'] },
] as const;

/** True if a user has what the chips in the URL say. */
export const isChosen = (user: User, values: Filters['values']): boolean =>
  KINDS.every(({ name, of }) => !values[name] || of(user)?.includes(values[name]));

/** How many of the listed users can be reached how, what they refuse, and their locales: each chip lists these alone. */
export function UserChips(props: {
  of: readonly User[];
  /** There are more, which are not listed. */
  more: boolean;
  filters: Filters;
}): VNode {
  const { of: users, more, filters } = props;
  const { values } = filters;
  return (
    <div class="choices">
      {more && <p class="note">Of the {count(users.length)} listed:</p>}
      {KINDS.map(({ name, title, of }) => {
        const counts = new Map<string, number>();
        for (const value of users.flatMap((user) => of(user) ?? []))
          counts.set(value, (counts.get(value) ?? 0) + 1);
        const chosen = values[name];
        const most = [...counts].sort(([, a], [, b]) => b - a).slice(0, MOST_CHIPS);
        if (chosen && !most.some(([value]) => value === chosen)) most.push([chosen, counts.get(chosen) ?? 0]);
        return (
          most.length > 0 && (
            <p>
              <span class="note">{title}</span>
              {most.map(([value, n]) => (
                <a
                  class="choice-chip"
                  href={`/users${search({ ...values, [name]: value === chosen ? '' : value })}`}
                  aria-current={value === chosen ? 'true' : undefined}
                  aria-label={`${value === chosen ? 'Not only' : 'Only'} ${title.toLowerCase()} ${cleaned(value)}, ${count(n)}`}
                >
                  <Text of={value} /> <strong>{count(n)}</strong>
                </a>
              ))}
              {counts.size > MOST_CHIPS && (
                <span class="note"> and {count(counts.size - MOST_CHIPS)} more</span>
              )}
            </p>
          )
        );
      })}
    </div>
  );
}
