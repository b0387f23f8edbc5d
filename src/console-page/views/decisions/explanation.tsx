import type { VNode } from 'preact';
import { changeWords } from '../../../kit/removal-words.ts';
import { SignedBar } from '../../parts/bars.tsx';
import { score } from '../../parts/numbers.ts';
import { Table } from '../../parts/table.tsx';
import { Text } from '../../parts/text.tsx';
import type { Decision, Explained } from './decision-words.ts';

/** A part of what is expected more of one of the two; without a feature, of all that is not named, and `all` of it. */
interface Row {
  readonly kind: 'feature' | 'rest' | 'all';
  readonly feature: string;
  readonly value: string;
  readonly effect: number;
}

/** What moved the choice of what was chosen before another, and how that adds up to what is expected of both. */
export function Explanation(props: { of: Explained; decision: Decision }): VNode {
  const { of, decision } = props;
  const { winner, runnerUp, change } = of;
  const expectedOf = (id: string | null) =>
    id === null ? 0 : decision.candidates.find(({ contentId }) => contentId === id)?.ranking;
  const chosen = decision.contentId ?? winner;
  const tried = chosen !== winner;
  // The service compares the winner with the runner-up: to the other side where the runner-up was tried.
  const flipped = chosen === runnerUp;
  const [self, other] = flipped ? [chosen, winner] : [winner, runnerUp];
  const [first, second] = [expectedOf(self), expectedOf(other)];
  const rows = rowsOf(of, flipped, first === undefined || second === undefined ? undefined : first - second);
  const most = Math.max(...rows.map(({ effect }) => Math.abs(effect)));
  return (
    <>
      <h3>
        {runnerUp === null ? (
          <>
            What moved <Text of={winner} />
          </>
        ) : (
          <>
            Why <Text of={chosen} /> and not <Text of={tried ? winner : runnerUp} />
          </>
        )}
      </h3>
      {tried && <Tried chosen={chosen} winner={winner} expected={[expectedOf(winner), expectedOf(chosen)]} />}
      <p class="note">
        {other !== null && (
          <>
            What is to the right speaks for <Text of={self} />, what is to the left for <Text of={other} />
            {!flipped && ', which would have been next'}.{' '}
          </>
        )}
        The lines add up to the last. A choice takes uncertain contents for more than is expected of them.
      </p>
      <Table
        label="What moved the choice"
        columns={[
          {
            title: 'Because of',
            cell: ({ kind, feature, value, effect }) =>
              kind === 'feature' ? (
                <>
                  <Text of={feature} /> <Text of={value} />
                </>
              ) : kind === 'rest' ? (
                <span class="note">all else: what it earns of all users, and what is slight</span>
              ) : other === null ? (
                'Expected of it'
              ) : (
                <>
                  Expected {effect < 0 ? 'less' : 'more'} of <Text of={self} />
                </>
              ),
          },
          {
            title: 'Effect',
            note: 'in rewards, from 0 to 1',
            cell: ({ effect }) => (
              <SignedBar
                value={effect}
                max={most}
                label={`${effect > 0 ? '+' : effect < 0 ? '−' : ''}${score(Math.abs(effect))}`}
              />
            ),
          },
        ]}
        rows={rows}
        keyOf={({ kind, feature, value }) => `${kind} ${feature} ${value}`}
        current={({ kind }) => kind === 'all'}
      />
      {change && runnerUp !== null && (
        <p class="note">
          <Text of={changeWords(change, runnerUp)} />
        </p>
      )}
    </>
  );
}

/** Why the winner was not chosen: what was expected of it and of what was. */
function Tried(props: {
  chosen: string;
  winner: string;
  expected: readonly [number | undefined, number | undefined];
}): VNode {
  const { chosen, winner, expected } = props;
  const [most, own] = expected;
  return (
    <p>
      {most !== undefined && own !== undefined && (
        <>
          <Text of={winner} /> was{' '}
          {most > own ? 'expected to earn more' : 'ahead because less is known of it'}: {score(most)}, against{' '}
          {score(own)}.{' '}
        </>
      )}
      <Text of={chosen} /> was tried so that the model learns what it earns.
    </p>
  );
}

/** The effects, and what is left of all that is expected more, where that is known. `all` has the sign of the rows. */
function rowsOf({ effects }: Explained, flipped: boolean, all: number | undefined): Row[] {
  const named = effects.map(
    ({ effect, ...of }): Row => ({ kind: 'feature', ...of, effect: flipped ? -effect : effect }),
  );
  if (all === undefined) return named;
  const rest = all - named.reduce((sum, { effect }) => sum + effect, 0);
  const none = { feature: '', value: '' };
  return [...named, { kind: 'rest', ...none, effect: rest }, { kind: 'all', ...none, effect: all }];
}
