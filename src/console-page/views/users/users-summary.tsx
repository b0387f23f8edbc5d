import type { VNode } from 'preact';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import { count, counted } from '../../parts/numbers.ts';
import { Text } from '../../parts/text.tsx';

type User = AnswerOf<'listUsers'>['users'][number];

/** Values that are named. */
const MOST_NAMED = 6;

/** How the listed users can be reached, and which locales they have. */
export function UsersSummary({ of }: { of: readonly User[] }): VNode {
  const told = of.filter(({ channels }) => channels !== undefined);
  const refusing = of.filter(({ optOut }) => optOut && optOut.length > 0).length;
  return (
    <div class="note">
      {of.some(({ optOut }) => optOut) && (
        <p>
          {counted(told.length, 'of them is stored', 'of them are stored')}
          {told.length > 0 && (
            <>
              ; can be reached by:{' '}
              <Counts of={told.map(({ channels }) => (channels!.length > 0 ? channels! : ['nothing']))} />
            </>
          )}
          {' · '}
          <strong>{count(refusing)}</strong> {refusing === 1 ? 'refuses' : 'refuse'} marketing, in whole or
          part
        </p>
      )}
      <p>
        By locale: <Counts of={of.map(({ locale }) => [locale ?? 'none'])} />
      </p>
    </div>
  );
}

/** How many users have which values, the most frequent first. */
function Counts({ of }: { of: readonly (readonly string[])[] }): VNode {
  const counts = new Map<string, number>();
  for (const value of of.flat()) counts.set(value, (counts.get(value) ?? 0) + 1);
  const named = [...counts].sort(([, a], [, b]) => b - a).slice(0, MOST_NAMED);
  return (
    <>
      {named.map(([value, n], i) => (
        <>
          {i > 0 && ' · '}
          <Text of={value} /> <strong>{count(n)}</strong>
        </>
      ))}
      {counts.size > named.length && ` · and ${count(counts.size - named.length)} more`}
    </>
  );
}
