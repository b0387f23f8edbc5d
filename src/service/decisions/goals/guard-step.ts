import { createHash } from 'node:crypto';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Content } from '../../catalog/content.ts';
import type { Goal } from '../../catalog/goal.ts';
import type { Tx } from '../../platform/store/store.ts';
import type { CountedPolicy } from '../store/content-counts.ts';
import { isBeyondDoubt, NO_EVIDENCE, withSpan } from './rules/gain-interval.ts';
import { type Compared, doubtsOf, type GuardState, guardAfter, horizonOf, hourOf } from './rules/guard.ts';
import { definitions, isReady } from './store/definitions.ts';
import { type ByDay, DAY_MS, goalsByTime } from './store/goals-by-time.ts';
import { guards, type StoredGuard } from './store/guards.ts';

/** Contents that are compared in one transaction: some 20,000 rows at most. */
const PAGE = 25;

/** Some contents that the guard of a goal compares, and the learned choice with the first of them. */
export interface GuardPage {
  readonly goal: Goal;
  readonly contents: readonly Content[];
  readonly isFirst: boolean;
}

/** What the guards of a catalog compare, in pieces. */
export function pagesOf({ guards, contents }: Catalog): GuardPage[] {
  const pieces = Array.from({ length: Math.max(1, Math.ceil(contents.length / PAGE)) }, (_, i) =>
    contents.slice(i * PAGE, (i + 1) * PAGE),
  );
  return guards.flatMap((goal) => pieces.map((contents, i) => ({ goal, contents, isFirst: i === 0 })));
}

/** Something that a guard took out of choice, or let back. */
export interface GuardChange extends GuardState {
  readonly goalId: string;
  /** Empty for the learned choice. */
  readonly contentId: string;
}

/**
 * Compares contents, and the learned choice, with the holdout group by the goal of a guard, and stores what it says.
 * Returns what changed. `unsettled`: decisions that began to count earlier, Unix ms, are all counted as served. One transaction at a time: it locks what the rewards of the workspace follow, as counting does.
 */
export async function checkGuards(
  tx: Tx,
  workspaceId: string,
  catalog: Catalog,
  { goal, contents, isFirst }: GuardPage,
  unsettled: number,
): Promise<GuardChange[]> {
  await definitions.lockForUpdate(tx, workspaceId);
  const stored = await definitions.all(tx, workspaceId);
  const defined = stored.find(({ definition }) => definition === goal.definition);
  // Events from before its definition have yet to be counted.
  if (!defined || !isReady(defined)) return [];
  // Whole hours, of which all decisions are counted as served.
  const upTo = Math.min(horizonOf(goal.withinMs, tx.now), hourOf(unsettled));
  const ids = contents.map(({ contentId }) => contentId);
  const earliest = Math.max(defined.since, goal.guard!.from);
  const read = (policy: CountedPolicy, of: readonly string[]) =>
    goalsByTime.byDay(tx, workspaceId, of, {
      ...{ goal: defined.goal, policy, from: earliest, upTo },
    });
  const holdout = (await read('holdout', [''])).get('') ?? new Map();
  const learned = await read('learned', isFirst ? [...ids, ''] : ids);
  const known = new Map(
    (await guards.ofGoal(tx, workspaceId, defined.goal)).map((guard) => [guard.contentId, guard]),
  );
  const doubts = doubtsOf({ goals: catalog.guards.length, contents: catalog.contents.length });
  const { worseThan } = goal.guard!;
  const rule = JSON.stringify(goal.guard);
  const now = { at: tx.now, rule, next: Math.floor(tx.now / DAY_MS + 1) * DAY_MS };
  const changes: GuardChange[] = [];
  const judge = async (contentId: string, digest: string, doubt: number) => {
    const before = known.get(contentId);
    const after = guardAfter(before, { ...now, digest }, (since) =>
      compare(learned.get(contentId) ?? new Map(), holdout, { since, worseThan, doubt }),
    );
    if (!after || after === before) return;
    await guards.set(tx, workspaceId, { ...after, goal: defined.goal, contentId } satisfies StoredGuard);
    if ((before?.removedAt ?? null) !== after.removedAt)
      changes.push({ ...after, goalId: goal.goalId, contentId });
  };
  if (isFirst) await judge('', '', doubts.learned);
  for (const content of contents) await judge(content.contentId, digestOf(content), doubts.content);
  // Every process reads again what is taken out.
  if (changes.length > 0) await tx.notify('settings');
  return changes;
}

/** Compares decisions of the learned choice with those of the holdout group on the same days (UTC), since a time. */
function compare(
  learned: ByDay,
  holdout: ByDay,
  { since, worseThan, doubt }: { readonly since: number; readonly worseThan: number; readonly doubt: number },
): Compared {
  let evidence = NO_EVIDENCE;
  const sums = [
    { served: 0, value: 0 },
    { served: 0, value: 0 },
  ];
  for (const [day, one] of learned) {
    const other = holdout.get(day);
    if (!other || day < since) continue;
    const span = { one, other };
    evidence = withSpan(evidence, span, worseThan);
    for (const [i, { served, value }] of [span.one, span.other].entries()) {
      sums[i]!.served += served;
      sums[i]!.value += value;
    }
  }
  const [value, held] = sums.map(({ served, value }) => (served > 0 ? value / served : 0));
  return { isWorse: isBeyondDoubt(evidence, doubt), value: value!, holdout: held! };
}

/** A content as the catalog has it, but for what depends on the other contents. */
function digestOf({ attributes: _, ...content }: Content): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22);
}
