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

/** What put the best candidate before the next one, which the service compares, and how that adds up to what is expected of both. */
export function Explanation(props: { of: Explained; decision: Decision }): VNode {
  const { of, decision } = props;
  const { winner, runnerUp, change } = of;
  const expectedOf = (id: string | null) =>
    id === null ? 0 : decision.candidates.find(({ contentId }) => contentId === id)?.ranking;
  const chosen = decision.contentId ?? winner;
  const tried = chosen !== winner && runnerUp !== null;
  const [first, second] = [expectedOf(winner), expectedOf(runnerUp)];
  const rows = rowsOf(of, first === undefined || second === undefined ? undefined : first - second);
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
            Why <Text of={winner} /> {tried ? 'was ahead of' : 'and not'} <Text of={runnerUp} />
          </>
        )}
      </h3>
      {tried && (
        <p>
          <Text of={chosen} /> was tried to learn more about it. The table compares the two that were ahead.
        </p>
      )}
      <p class="note">
        {runnerUp !== null && (
          <>
            What is to the right speaks for <Text of={winner} />, what is to the left for{' '}
            <Text of={runnerUp} />
            {!tried && ', which would have been next'}.{' '}
          </>
        )}
        The lines add up to the last.
      </p>
      <Table
        label="What moved the choice"
        columns={[
          {
            title: 'Because of',
            cell: ({ kind, feature, value, effect }) =>
              kind === 'feature' ? (
                <>
                  <Text of={feature} />
                  {value !== '' && (
                    <>
                      : <Text of={value} />
                    </>
                  )}
                </>
              ) : kind === 'rest' ? (
                <span class="note">everything else: results with all users, and small effects</span>
              ) : runnerUp === null ? (
                'Expected of it'
              ) : (
                <>
                  Expected {effect < 0 ? 'less' : 'more'} of <Text of={winner} />
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

/** The effects, and what is left of all that is expected more, where that is known. */
function rowsOf({ effects }: Explained, all: number | undefined): Row[] {
  const named = effects.map((of): Row => ({ kind: 'feature', ...of }));
  if (all === undefined) return named;
  const rest = all - named.reduce((sum, { effect }) => sum + effect, 0);
  const none = { feature: '', value: '' };
  return [...named, { kind: 'rest', ...none, effect: rest }, { kind: 'all', ...none, effect: all }];
}
