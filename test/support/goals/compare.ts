import { UNIT } from '../../../src/service/decisions/goals/rules/attribution.ts';
import { definitions } from '../../../src/service/decisions/goals/store/definitions.ts';
import type { Store, Tx } from '../../../src/service/platform/store/store.ts';
import type { Expected } from './brute-force.ts';
import { WORKSPACE } from './world.ts';

/** The differences between what a store says that decisions earned and what they do, as text; the first ones. */
export async function differences(store: Store, expected: Expected): Promise<string[]> {
  const found: string[] = [];
  await store.read(async (tx) => {
    const rows = await tx.sql.all<{ goal: number; goalId: string }>(
      'SELECT goal, goal_id AS "goalId" FROM goal WHERE workspace_id = ?',
      [WORKSPACE],
    );
    const names = new Map(rows.map(({ goal, goalId }) => [String(goal), goalId]));
    const decided = await tx.sql.all<{ id: string; goals: string | null; reward: number | null }>(
      'SELECT decision_id AS id, goals, reward FROM decision WHERE workspace_id = ?',
      [WORKSPACE],
    );
    for (const { id, goals, reward } of decided) {
      const number = Number(id.slice(1));
      const stored = Object.entries((goals === null ? {} : JSON.parse(goals)) as Record<string, number>);
      const is = sorted(Object.fromEntries(stored.map(([goal, sum]) => [names.get(goal) ?? goal, sum])));
      const should = sorted(expected.values.get(number) ?? {});
      if (is !== should) found.push(`${id} earned ${is}, not ${should}`);
      const due = expected.rewards.get(number) ?? null;
      if (reward === null || due === null ? reward !== due : Math.abs(reward - due) > 1e-12)
        found.push(`${id} has the reward ${reward}, not ${due}`);
    }
    const counts = await tx.sql.all<{
      goal: number;
      content: string;
      policy: string;
      converted: number;
      value: number;
      squares: number;
    }>(
      'SELECT goal, content_id AS content, policy, converted, value, squares FROM goal_count WHERE workspace_id = ?',
      [WORKSPACE],
    );
    const counted = new Map(
      counts
        .filter(({ converted }) => Number(converted) !== 0)
        .map((row) => [
          `${names.get(String(row.goal))} ${row.content} ${row.policy}`,
          [row.converted, row.value, row.squares].map(Number).join(', '),
        ]),
    );
    for (const [key, sums] of expected.counts)
      if (counted.get(key) !== sums.join(', '))
        found.push(`${key}: ${counted.get(key)}, not ${sums.join(', ')}`);
    if (counted.size !== expected.counts.size)
      found.push(`${counted.size} counts, not ${expected.counts.size}`);
    found.push(...(await timeDifferences(tx)));
    const logged = await tx.sql.all<{ id: string; reward: number }>(
      `SELECT decision_id AS id, reward FROM reward WHERE workspace_id = ? ORDER BY seq`,
      [WORKSPACE],
    );
    const latest = new Map(logged.map(({ id, reward }) => [id, reward]));
    for (const { id, reward } of decided)
      if ((latest.get(id) ?? null) !== reward)
        found.push(`the log says ${latest.get(id)} of ${id}, not ${reward}`);
  });
  return found.slice(0, 20);
}

const WIDTHS = [3_600_000, 86_400_000];

/** The differences between what is counted by hour and day, and what the decisions earned. */
async function timeDifferences(tx: Tx): Promise<string[]> {
  const stored = await definitions.all(tx, WORKSPACE);
  const decided = await tx.sql.all<{ content: string; policy: string; at: number; goals: string }>(
    `SELECT content_id AS content, COALESCE(policy, 'learned') AS policy, counted_at AS at, goals FROM decision
     WHERE workspace_id = ? AND goals IS NOT NULL`,
    [WORKSPACE],
  );
  const should = new Map<string, number>();
  for (const { goal } of stored)
    for (const { content, policy, at, goals } of decided)
      for (const width of WIDTHS)
        for (const of of ['', content]) {
          const earned = Math.min(UNIT, (JSON.parse(goals) as Record<string, number>)[goal] ?? 0);
          const key = [goal, width, of, policy, Math.floor(Number(at) / width) * width].join(' ');
          if (earned > 0) should.set(key, (should.get(key) ?? 0) + earned);
        }
  const rows = await tx.sql.all<{ key: string; value: number; squares: number; content: string }>(
    `SELECT goal || ' ' || width || ' ' || content_id || ' ' || policy || ' ' || bucket AS key, value, squares,
       content_id AS content FROM goal_by_time WHERE workspace_id = ?`,
    [WORKSPACE],
  );
  const is = new Map(rows.flatMap(({ key, value }) => (Number(value) === 0 ? [] : [[key, Number(value)]])));
  const keys = new Set([...is.keys(), ...should.keys()]);
  // Of all, the squares are those of users, however they are divided between hours.
  const squares = rows.reduce((sum, row) => sum + (row.content === '' ? Number(row.squares) : 0), 0);
  const ofUsers = await tx.sql.all<{ squares: number }>(
    `SELECT squares FROM goal_count WHERE workspace_id = ? AND content_id = ''`,
    [WORKSPACE],
  );
  const due = ofUsers.reduce((sum, row) => sum + Number(row.squares), 0);
  return [
    ...(should.size === 0 ? ['no goal counts anything'] : []),
    ...[...keys].flatMap((key) =>
      is.get(key) === should.get(key) ? [] : [`by time ${key}: ${is.get(key)}, not ${should.get(key)}`],
    ),
    ...(squares === WIDTHS.length * due
      ? []
      : [`squares by time: ${squares}, not ${WIDTHS.length} times ${due}`]),
  ];
}

const sorted = (values: Record<string, number>) =>
  JSON.stringify(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));
