import type { VNode } from 'preact';
import type { AnswerOf } from '../../../contract/endpoints.ts';
import { Interval } from '../../parts/bars.tsx';
import { count, percent, points } from '../../parts/numbers.ts';
import { Cut, cleaned, Text } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { Box } from '../../parts/view.tsx';
import { Difference, differenceWords } from './difference.tsx';
import { gainWords, POLICIES } from './gain-words.ts';

type State = AnswerOf<'getModel'>['goals'][number];
type Earned = NonNullable<AnswerOf<'listContents'>['items'][number]['goals']>[number];

/** A value per decision: 1 is one whole goal. */
export const share = (value: number) => `${value < 0 ? '−' : ''}${percent(Math.abs(value))}`;

/** A value per decision with its interval, on a scale up to `max`. */
export function GoalValue(props: { of: Pick<Earned, 'value' | 'low' | 'high'>; max: number }): VNode {
  const { of, max } = props;
  const { value, low, high } = of;
  return value === null || low === null || high === null ? (
    <span class="note">not served yet</span>
  ) : (
    <Interval rate={value} low={low} high={high} max={max} label={share(value)} />
  );
}

/** What a content earned of a goal, in words. */
export const goalWords = ({ value, low, high, conversions }: Earned): string =>
  value === null || low === null || high === null
    ? 'not served yet'
    : `${share(value)} per message served (95 % interval ${share(low)} to ${share(high)}), ${count(conversions)} converted`;

/** What each goal earned by what made the choice, and what learning gains of it. */
export function GoalBoxes({ goals }: { goals: readonly State[] }): VNode {
  return (
    <>
      {goals.map((goal) => (
        <GoalBox goal={goal} key={goal.goalId} />
      ))}
    </>
  );
}

function GoalBox({ goal }: { goal: State }): VNode {
  const { goalId, byPolicy, gain, guard, since } = goal;
  const rows = POLICIES.map(([name, label, meaning]) => ({ label, meaning, group: byPolicy[name] })).filter(
    ({ group }) => group.served > 0,
  );
  const max = Math.max(...rows.map(({ group }) => group.high ?? 0), 0.0001);
  return (
    <Box
      title={<GoalTitle goal={goal} />}
      label={`Goal ${cleaned(goalId)}`}
      note="value per message served, with the 95 % interval; 100 % is one whole goal"
    >
      {rows.length === 0 ? (
        <p class="state">No decision counts yet: none of their messages was served.</p>
      ) : (
        <dl class="groups">
          {rows.map(({ label, meaning, group }) => (
            <div>
              <dt>
                {label}{' '}
                <span class="note">
                  {meaning}, {count(group.conversions)} of {count(group.served)} served converted
                </span>
              </dt>
              <dd>
                <GoalValue of={group} max={max} />
              </dd>
            </div>
          ))}
          {gain && <Difference {...gain} rate={gain.gain} />}
        </dl>
      )}
      <p class="note">
        {gain === null
          ? 'What learning gains is known once messages of both groups were served.'
          : differenceWords(gain.low, gain.high)}
      </p>
      {notesOf(goal).map((note) => (
        <p class="note">{note}</p>
      ))}
      {guard && <GuardNotes guard={guard} heldOut={byPolicy.holdout.served} />}
      {since !== null && (
        <p class="note">
          Decisions from <Time at={since} /> on: older events were removed.
        </p>
      )}
    </Box>
  );
}

/** Whether learning earns more of a goal, as far as that is certain. */
function GoalTitle({ goal: { goalId, gain } }: { goal: State }): VNode {
  return (
    <>
      <Cut of={goalId} />:{' '}
      {gain === null
        ? 'what learning gains is not known yet'
        : `learning earns ${gainWords(gain.gain, gain)}`}
    </>
  );
}

/** What a guard took out, since when, and how to lift it. */
function GuardNotes({
  guard: { worseThan, upTo, takenOut },
  heldOut,
}: {
  guard: NonNullable<State['guard']>;
  heldOut: number;
}): VNode {
  const margin = `${points(worseThan).slice(1)} percentage points above the held out users`;
  if (takenOut.length === 0 && heldOut === 0)
    return <p class="note">Guard: it does nothing while no decision for held out users counts.</p>;
  if (takenOut.length === 0)
    return (
      <p class="note">
        Guard: of the decisions up to <Time at={upTo} />, nothing earned more than {margin} beyond doubt.
      </p>
    );
  return (
    <>
      {takenOut.map(({ contentId, since, value, holdout }) => (
        <p class="note" key={contentId}>
          Guard: {contentId === null ? 'the learned choice' : <Text of={contentId} />} is out of choice since{' '}
          <Time at={since} />: {share(value)}, the held out users {share(holdout)}.
        </p>
      ))}
      <p class="note">To lift it, change the content, or the guard of the goal, in the catalog.</p>
    </>
  );
}

const eventsText = (events: number) => `${count(events)} ${events === 1 ? 'event' : 'events'}`;

/** What a reader must know of how a goal is counted. */
function notesOf({ progress, behind, events, clipped, unreadable }: State): string[] {
  return [
    progress < 1 &&
      `${Math.floor(100 * progress)} % of the events from before its definition are counted; the rest follows.`,
    behind > 0 && `Not counted yet: ${eventsText(behind)}.`,
    clipped > 0 && `With a number outside of the range: ${count(clipped)} of ${eventsText(events)}.`,
    unreadable > 0 &&
      `Not counted: ${eventsText(unreadable)} without the property that the goal needs, or with one that is not a number.`,
  ].filter((note) => note !== false);
}
