import type { Field } from '../../cli/terminal/listing.ts';
import type { Output } from '../../cli/terminal/output.ts';
import { bold, type Text } from '../../cli/terminal/text.ts';
import { objectOf } from '../../kit/object-of.ts';
import { goalField, showGoals } from './goal-view.ts';

type Row = Readonly<Record<string, unknown>>;

const percent = (value: unknown) => (typeof value === 'number' ? `${(value * 100).toFixed(1)} %` : '');
const interval = ({ low, high }: Row) =>
  typeof low === 'number' && typeof high === 'number' ? `${percent(low)} – ${percent(high)}` : '';

const FIGURES: readonly Field<Row>[] = [
  { field: 'served', title: 'SERVED', align: 'right' },
  { field: 'rewarded', title: 'REWARDED', align: 'right' },
  { field: 'rate', title: 'RATE', align: 'right', cell: ({ rate }) => percent(rate) },
  { field: 'low', title: '95 % INTERVAL', align: 'right', cell: interval },
];

/** A status, and the goals of the guards that took a content out. */
function statusCell({ status, guardedBy }: Row): string {
  return Array.isArray(guardedBy) ? `${status} (${guardedBy.join(', ')})` : String(status ?? '');
}

/** The fields of a list of contents. */
export const CONTENT_FIELDS: readonly Field<Row>[] = [
  { field: 'id', title: 'CONTENT', whole: true },
  { field: 'category', title: 'CATEGORY' },
  { field: 'status', title: 'STATUS', cell: statusCell },
  ...FIGURES,
  { field: 'high', title: 'HIGH', align: 'right', extra: true, cell: ({ high }) => percent(high) },
  { field: 'dismissed', title: 'DISMISSED', align: 'right' },
  goalField(undefined, false),
  { field: 'format', title: 'FORMAT', extra: true },
  { field: 'title', title: 'TITLE', extra: true },
];

const rowsOf = (value: unknown) => (Array.isArray(value) ? value.map(objectOf) : []);

/** Renders what a content earned, and then over time. */
export function showContent(body: unknown, out: Output): Text {
  const content = objectOf(body);
  return [
    ...pairs(content, ['id', 'category', 'format', 'status', 'title', 'dismissed']),
    figures(content),
    ...goalLines(content),
    series(content.series, out),
  ];
}

/** Renders the state of the model: what it has learned, what it gains, and the learning curve. */
export function showModel(body: unknown, out: Output): Text {
  const model = objectOf(body);
  const byPolicy = objectOf(model.byPolicy);
  const gain = objectOf(model.gain);
  return [
    ...pairs(model, ['version', 'learned', 'behind', 'resetAt', 'holdoutShare', 'explorationShare']),
    out.table(
      [{ title: 'POLICY', whole: true }, ...FIGURES],
      ['learned', 'holdout', 'weights'].map((policy) => [policy, ...cells(objectOf(byPolicy[policy]))]),
    ),
    '\n',
    typeof gain.rate === 'number'
      ? [bold('gain over holdout '), `${percent(gain.rate)} (${interval(gain)})\n`]
      : '',
    experts(model, out),
    weights(model, out),
    series(model.series, out),
    showGoals(model.goals, out),
  ];
}

/** Who decides. A service of an earlier version does not tell. */
function experts({ experts, rows }: Row, out: Output): Text {
  const all = rowsOf(experts);
  if (all.length === 0) return '';
  const used = (kind: string) => {
    const { used, limit } = objectOf(objectOf(rows)[kind]);
    return `${used ?? ''} of ${limit ?? ''} rows`;
  };
  return [
    out.table(
      [
        { title: 'EXPERT', whole: true },
        { title: 'KNOWS' },
        { title: 'ROWS' },
        { title: 'EVIDENCE', align: 'right' },
        { title: 'DECIDES' },
      ],
      all.map(({ kind, knows, evidence, decides }) => [
        String(kind ?? ''),
        String(knows ?? ''),
        used(String(kind)),
        String(evidence ?? ''),
        decides === true ? 'yes' : '',
      ]),
    ),
    '\n',
  ];
}

/** What was learned of each content. */
function weights({ contents }: Row, out: Output): Text {
  const rows = rowsOf(contents).flatMap((content) =>
    rowsOf(content.weights).map(({ name, weight }, i) => [
      i === 0 ? String(content.contentId ?? '') : '',
      i === 0 ? String(content.learned ?? '') : '',
      typeof name === 'string' ? name : '(a name not met since the start)',
      typeof weight === 'number' && weight > 0 ? `+${weight}` : String(weight ?? ''),
    ]),
  );
  if (rows.length === 0) return '';
  return [
    out.table(
      [
        { title: 'CONTENT', whole: true },
        { title: 'LEARNED', align: 'right' },
        { title: 'FEATURE' },
        { title: 'WEIGHT', align: 'right' },
      ],
      rows,
    ),
    '\n',
  ];
}

function pairs(of: Row, names: readonly string[]): Text[] {
  return names.flatMap((name) =>
    of[name] === undefined || of[name] === null ? [] : [bold(name.padEnd(18)), String(of[name]), '\n'],
  );
}

/** What a content earned of each goal. */
const goalLines = ({ goals }: Row): Text[] =>
  rowsOf(goals).map((goal) => {
    const goalId = String(goal.goalId);
    return [bold(`goal ${goalId} `), goalField(goalId, true).cell!({ goals: [goal] }), '\n'];
  });

const cells = (row: Row): Text[] =>
  FIGURES.map(({ field, cell }) => (cell ? cell(row) : String(row[field] ?? '')));

const figures = (row: Row): Text => {
  const [served = '', rewarded = '', rate = '', range = ''] = cells(row);
  const share = typeof row.rate === 'number' ? [rate, ' (', range, '): '] : [];
  return [bold('rate'.padEnd(18)), ...share, served, ' served, ', rewarded, ' rewarded\n'];
};

function series(points: unknown, out: Output): Text {
  const rows = rowsOf(points);
  if (rows.length === 0) return 'no decisions yet';
  return out.table(
    [{ title: 'FROM', whole: true }, ...FIGURES],
    rows.map((row) => [String(row.from ?? ''), ...cells(row)]),
  );
}
