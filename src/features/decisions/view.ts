import type { Field } from '../../cli/terminal/listing.ts';
import type { Output } from '../../cli/terminal/output.ts';
import { bold, dim, type Text } from '../../cli/terminal/text.ts';
import { objectOf } from '../../kit/object-of.ts';
import { changeWords, removalWords } from '../../kit/removal-words.ts';

type Row = Readonly<Record<string, unknown>>;

/** The fields of a list of decisions. */
export const DECISION_FIELDS: readonly Field<Row>[] = [
  { field: 'decisionId', title: 'DECISION', whole: true },
  { field: 'at', title: 'AT', whole: true, cell: ({ at }) => String(at ?? '').replace(/\.\d+Z$/, 'Z') },
  { field: 'contentId', title: 'CONTENT', cell: ({ contentId }) => content(contentId) },
  { field: 'reward', title: 'REWARD', align: 'right', cell: ({ reward }) => rewardText(reward) },
  { field: 'goals', title: 'GOALS', extra: true },
  { field: 'policy', title: 'POLICY', extra: true },
  { field: 'hashId', title: 'USER', whole: true, extra: true },
  { field: 'context', title: 'CONTEXT', extra: true },
  { field: 'candidates', title: 'CANDIDATES', extra: true },
  { field: 'others', title: 'OTHERS', extra: true },
  { field: 'reason', title: 'REASON', extra: true },
  { field: 'explanation', title: 'EXPLANATION', extra: true },
  { field: 'removed', title: 'REMOVED', extra: true },
  { field: 'modelVersion', title: 'MODEL', align: 'right', extra: true },
  { field: 'seed', title: 'SEED', whole: true, extra: true },
];

/** Renders an entry of the decision log: its fields, then its candidates and what was removed. */
export function showLoggedDecision(body: unknown, out: Output): Text {
  const entry = objectOf(body);
  const context = Object.entries(objectOf(entry.context)).map(([name, value]) => `${name}=${value}`);
  const goals = Object.entries(objectOf(entry.goals)).map(([goalId, value]) => `${goalId}=${text(value)}`);
  const rows: [string, string | undefined][] = [
    ['decision', text(entry.decisionId)],
    ['at', text(entry.at)],
    ['user', text(entry.hashId)],
    ['context', context.join(' ')],
    ['content', entry.contentId === null ? 'none' : text(entry.contentId)],
    ['reward', entry.reward === undefined ? undefined : rewardText(entry.reward)],
    ['goals', goals.join(' ')],
    ['policy', text(entry.policy)],
    ['reason', text(entry.reason)],
    ['model', text(entry.modelVersion)],
  ];
  const lines: Text[] = rows.flatMap(([title, value]) =>
    value ? [[bold(title.padEnd(10)), value, '\n']] : [],
  );
  if (entry.explanation !== undefined)
    lines.push(...explained(objectOf(entry.explanation), text(entry.contentId), out));
  const removed = listOf(entry.removed).map(removedLine);
  const candidates = listOf(entry.candidates);
  if (candidates.length === 0) return [...lines, 'no candidates', ...removed];
  const { count } = objectOf(entry.others);
  return [
    ...lines,
    out.table(
      [
        { title: 'CANDIDATE', whole: true },
        { title: 'PROPENSITY', align: 'right' },
        { title: 'RANKING', align: 'right' },
      ],
      candidates.map((each) => {
        const name = text(each.contentId) ?? '';
        return [
          each.contentId === entry.contentId ? bold(name) : name,
          short(each.propensity),
          short(each.ranking),
        ];
      }),
    ),
    ...(count === undefined ? [] : ['\n', dim(`and ${count} others`)]),
    ...removed,
  ];
}

/**
 * What moved the choice: the effects of features, and the smallest change that would have changed it. Another content than
 * the winner was chosen to be tried.
 */
function explained(
  { winner, runnerUp, effects, change }: Row,
  chosen: string | undefined,
  out: Output,
): Text[] {
  const isTried = chosen !== undefined && chosen !== text(winner);
  const first = isTried ? [`${chosen} was tried so that the model learns what it earns\n`] : [];
  const why = isTried
    ? `Why ${text(winner)} was ahead of ${text(runnerUp)}`
    : `Why ${text(winner)} and not ${text(runnerUp)}`;
  const last = change === null ? [] : ['\n', `${changeWords(objectOf(change), text(runnerUp) ?? '')}`];
  return [
    ['\n', ...first, bold(runnerUp === null ? `What moved ${text(winner)}` : why), '\n'],
    out.table(
      [{ title: 'FEATURE', whole: true }, { title: 'VALUE' }, { title: 'EFFECT', align: 'right' }],
      listOf(effects).map(({ feature, value, effect }) => [
        text(feature) ?? '',
        text(value) ?? '',
        `${Number(effect) > 0 ? '+' : ''}${text(effect)}`,
      ]),
    ),
    ...last,
    '\n\n',
  ];
}

/** What a rule removed: `removed 12 contents: the rule on trait plan (a, b, c, …)`. */
function removedLine({ rule, name, count, contentIds }: Row): Text {
  const words = removalWords({ rule: text(rule) ?? '', name: text(name) ?? '' });
  const named = Array.isArray(contentIds) ? contentIds.map(String) : [];
  const more = named.length > 0 && typeof count === 'number' && count > named.length ? ['…'] : [];
  const which = named.length > 0 ? ` (${[...named, ...more].join(', ')})` : '';
  const contents = count === 1 ? '1 content' : `${text(count) ?? 'some'} contents`;
  return ['\n', bold('removed'.padEnd(10)), `${contents}: ${words}${which}`];
}

const listOf = (value: unknown): Row[] => (Array.isArray(value) ? value.map(objectOf) : []);

const content = (id: unknown): Text => (id === null ? dim('none') : String(id ?? ''));
const rewardText = (reward: unknown) => (reward === null ? 'none yet' : String(reward ?? ''));
const short = (value: unknown) => (typeof value === 'number' ? value.toFixed(3) : '');
const text = (value: unknown) => (value === undefined || value === null ? undefined : String(value));
