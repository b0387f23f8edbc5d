import type { Field } from '../../cli/terminal/listing.ts';
import type { Output } from '../../cli/terminal/output.ts';
import { bold, type Text, yellow } from '../../cli/terminal/text.ts';
import { objectOf } from '../../kit/object-of.ts';

type Row = Readonly<Record<string, unknown>>;

const rowsOf = (value: unknown): Row[] => (Array.isArray(value) ? value.map(objectOf) : []);

/** A value per decision: 1 is one whole goal. */
const share = (value: unknown) => (typeof value === 'number' ? `${(100 * value).toFixed(2)} %` : '-');
const range = ({ low, high }: Row) => (typeof low === 'number' ? `${share(low)} – ${share(high)}` : '');

const count = (value: unknown) => Number(value).toLocaleString('en');
const eventsText = (value: unknown) => `${count(value)} ${value === 1 ? 'event' : 'events'}`;

/** What a content earned of its goals, or of one of them, as a column. */
export const goalField = (goalId: string | undefined, hasGoals: boolean): Field<Row> => ({
  field: 'goals',
  title: goalId === undefined ? 'GOALS (VALUE PER SERVED)' : `${goalId} (VALUE PER SERVED)`,
  align: 'right',
  extra: !hasGoals,
  cell: ({ goals }) =>
    rowsOf(goals)
      .filter((goal) => goalId === undefined || goal.goalId === goalId)
      .map((goal) => {
        const name = goalId === undefined ? `${goal.goalId} ` : '';
        const interval = range(goal);
        return `${name}${share(goal.value)}${interval && ` (${interval})`}, ${goal.conversions} converted`;
      })
      .join('; '),
});

/** The goals that contents have figures of. */
export const goalIdsIn = (items: readonly Row[]): string[] =>
  rowsOf(items[0]?.goals).map(({ goalId }) => String(goalId));

/** What the guard of a goal took out, since when, and how to lift it. */
function guardLines(guard: Row, heldOut: unknown): Text {
  if (typeof guard.worseThan !== 'number') return '';
  const margin = `${share(guard.worseThan)} above the holdout group`;
  const taken = rowsOf(guard.takenOut);
  if (taken.length === 0 && heldOut === 0)
    return 'guard: does nothing while no decision of a holdout group counts (settings.holdout)\n';
  if (taken.length === 0) return `guard: nothing earned more than ${margin} up to ${guard.upTo}\n`;
  return [
    ...taken.map(
      ({ contentId, since, value, holdout }): Text => [
        yellow('guard: '),
        `${typeof contentId === 'string' ? contentId : 'the learned choice'} is out of choice since ${since}: ${share(value)}, the holdout group ${share(holdout)}\n`,
      ],
    ),
    `to lift it, change the content, or \`guard\` of the goal, in the catalog\n`,
  ];
}

const COLUMNS = ['SERVED', 'CONVERTED', 'VALUE', '95 % INTERVAL'];

/** Renders what each goal earned by what made the choice, what learning gains of it, and how it is counted. */
export function showGoals(goals: unknown, out: Output): Text {
  return rowsOf(goals).map((goal): Text => {
    const byPolicy = objectOf(goal.byPolicy);
    const gain = objectOf(goal.gain);
    const notes = [
      typeof goal.progress === 'number' && goal.progress < 1
        ? `${Math.floor(100 * goal.progress)} % of the events from before its definition are counted`
        : '',
      Number(goal.behind) > 0 ? `yet to be searched: ${eventsText(goal.behind)}` : '',
      Number(goal.clipped) > 0
        ? `clipped to their range: ${count(goal.clipped)} of ${eventsText(goal.events)}`
        : '',
      Number(goal.unreadable) > 0
        ? `not counted: ${eventsText(goal.unreadable)} without a property, or with one that is not a number`
        : '',
      typeof goal.since === 'string' ? `decisions from ${goal.since} on` : '',
    ].filter((note) => note !== '');
    return [
      '\n',
      bold('goal '),
      String(goal.goalId),
      '\n',
      out.table(
        ['POLICY', ...COLUMNS].map((title) => ({ title, whole: true })),
        ['learned', 'holdout', 'weights'].map((policy) => {
          const group = objectOf(byPolicy[policy]);
          return [
            policy,
            String(group.served ?? ''),
            String(group.conversions ?? ''),
            share(group.value),
            range(group),
          ];
        }),
      ),
      '\n',
      typeof gain.gain === 'number'
        ? [bold('gain over holdout '), `${share(gain.gain)} (${range(gain)}, at any time)\n`]
        : '',
      ...notes.map((note) => `${note}\n`),
      guardLines(objectOf(goal.guard), objectOf(byPolicy.holdout).served),
    ];
  });
}
