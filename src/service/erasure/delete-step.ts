import { type Judge, judge } from '../../contract/event-plan.ts';
import { matchesFilter } from '../../kit/event-filter/match.ts';
import type { Catalogs } from '../catalog/follow.ts';
import { lockGoals, removeFromGoals } from '../decisions/goals/remove-events.ts';
import { goalCounts } from '../decisions/goals/store/goal-counts.ts';
import { eventHeads } from '../events/store/event-heads.ts';
import { eventRuns } from '../events/store/event-runs.ts';
import { eventViolations } from '../events/store/event-violations.ts';
import { type EventRange, events, type PagedEvent } from '../events/store/events.ts';
import { forgetIds } from '../events/store/ids/forget-ids.ts';
import { recentEvents } from '../events/store/recent-events.ts';
import { signalRecounts } from '../events/store/signal-recounts.ts';
import { hashedFor, selectionOf } from '../events/stream/conditions.ts';
import type { Tx } from '../platform/store/store.ts';
import { workspaces } from '../platform/store/workspaces.ts';
import { type Deletion, deletions, termsOf } from './deletions.ts';

/** Event numbers that one transaction searches, and events that it deletes: some milliseconds of work. */
const SEARCHED = 20_000;
const DELETED = 500;
/** Events of a sample. */
const SAMPLE = 5;
/** When to try again where this process does not know the newest catalog yet, in ms. */
const FOLLOW_MS = 50;
/** Within this time every node has stored the event counts that it had in memory (event-signals.ts), in ms. */
export const FLUSHED_MS = 15_000;

/** Runs one step of a deletion in one transaction, and says when the next one is due. */
export async function deleteStep(
  tx: Tx,
  catalogs: Pick<Catalogs, 'of' | 'isCurrent'>,
  workspaceId: string,
  deletion: Deletion,
): Promise<void> {
  if (deletion.phase === 'scan') return scan(tx, catalogs, workspaceId, deletion);
  if (deletion.phase === 'wait') {
    const { number: upTo } = await eventHeads.get(tx, workspaceId);
    const begin = await events.beforeOldest(tx, workspaceId, upTo);
    const phase = (await signalRecounts.any(tx, workspaceId)) ? 'recount' : 'done';
    return deletions.proceed(tx, workspaceId, { ...deletion, phase, begin, after: begin, upTo });
  }
  return recount(tx, workspaceId, deletion);
}

/** Searches the next events, and deletes or counts those that are selected. */
async function scan(
  tx: Tx,
  catalogs: Pick<Catalogs, 'of' | 'isCurrent'>,
  workspaceId: string,
  deletion: Deletion,
): Promise<void> {
  const { dryRun, selection, found, sample, upTo } = deletion;
  if (!dryRun) {
    if (!(await catalogs.isCurrent(tx, workspaceId)))
      return deletions.proceed(tx, workspaceId, deletion, tx.now + FOLLOW_MS);
    // Nobody else counts or indexes events meanwhile, which would keep what is deleted here.
    await lockGoals(tx, workspaceId);
    await recentEvents.lockIndexing(tx, workspaceId);
  }
  const range = await nextRange(tx, workspaceId, deletion);
  if (!range) {
    if (dryRun) return deletions.proceed(tx, workspaceId, { ...deletion, after: upTo, phase: 'done' });
    if (selection.run !== undefined && Object.keys(selection).length === 1)
      await eventRuns.remove(tx, workspaceId, selection.run);
    await goalCounts.lowerMost(tx, workspaceId);
    return deletions.proceed(
      tx,
      workspaceId,
      { ...deletion, after: upTo, phase: 'wait' },
      tx.now + FLUSHED_MS,
    );
  }
  const { rows, last } = await selected(tx, workspaceId, deletion, range);
  if (!dryRun && rows.length > 0) {
    const catalog = await catalogs.of(tx, workspaceId);
    await removeFromGoals(tx, workspaceId, catalog, rows);
    if (catalog.eventPlan)
      await eventViolations.subtract(tx, workspaceId, violationsOf(catalog.eventPlan, rows));
    await events.delete(tx, workspaceId, rows);
    await recentEvents.remove(tx, workspaceId, rows);
    await signalRecounts.add(tx, workspaceId, rows);
    await forgetIds(tx, workspaceId, rows);
  }
  const numbers = rows.map(({ number }) => number);
  await deletions.proceed(tx, workspaceId, {
    ...deletion,
    after: last,
    found: found + rows.length,
    sample: dryRun ? [...sample, ...numbers].slice(0, SAMPLE) : [],
  });
}

/** What events do against the plan in force. */
function* violationsOf(plan: Judge, rows: readonly PagedEvent[]) {
  for (const { event, properties, receivedAt } of rows)
    for (const { property, rule } of judge(plan, event, properties === null ? {} : JSON.parse(properties)))
      yield { event, property, rule, receivedAt: Number(receivedAt) };
}

/** The numbers to search next; undefined at the end. Of a run, those of its batches that follow one another. */
async function nextRange(
  tx: Tx,
  workspaceId: string,
  { selection: { run }, after, upTo }: Deletion,
): Promise<EventRange | undefined> {
  if (after >= upTo) return undefined;
  if (run === undefined) return { after, upTo: Math.min(after + SEARCHED, upTo) };
  const [first, ...more] = await eventRuns.after(tx, workspaceId, run, after);
  if (!first || first.first > upTo) return undefined;
  const from = Math.max(after, first.first - 1);
  let { last } = first;
  for (const next of more) {
    if (next.first !== last + 1 || next.last > from + SEARCHED) break;
    last = next.last;
  }
  return { after: from, upTo: Math.min(last, upTo) };
}

/** Up to DELETED selected events of a range, and the last number that was searched. */
async function selected(
  tx: Tx,
  workspaceId: string,
  { selection }: Deletion,
  range: EventRange,
): Promise<{ rows: PagedEvent[]; last: number }> {
  const { since, until } = selection;
  const terms = termsOf(selection);
  const page = await events.matching(tx, workspaceId, range, selectionOf(terms).conditions, DELETED);
  const hashed = await hashedFor(terms, () => workspaces.hashKey(tx, workspaceId));
  const rows: PagedEvent[] = [];
  for (const row of page.rows) {
    const at = Date.parse(row.timestamp);
    if ((since !== undefined && at < Date.parse(since)) || (until !== undefined && at >= Date.parse(until)))
      continue;
    const event =
      row.leftOut === 0 ? row : { ...row, properties: await events.properties(tx, workspaceId, row.number) };
    if (matchesFilter(terms, hashed(event))) rows.push({ ...event, number: Number(row.number) });
  }
  return { rows, last: page.more ? Number(page.rows.at(-1)?.number ?? range.upTo) : range.upTo };
}

/** Corrects the counts of users' events: searches all that are left, and then those that came meanwhile. */
async function recount(tx: Tx, workspaceId: string, deletion: Deletion): Promise<void> {
  let { after } = deletion;
  const { upTo: counted } = deletion;
  if (after < counted)
    after = await signalRecounts.search(tx, workspaceId, { after, counted, upTo: counted });
  if (after >= counted) {
    // With the lock, no event comes whose time would be overlooked.
    const newest = await eventHeads.lock(tx, workspaceId);
    after = await signalRecounts.search(tx, workspaceId, { after, counted, upTo: newest });
    if (after >= newest && !(await signalRecounts.correct(tx, workspaceId)))
      return deletions.proceed(tx, workspaceId, { ...deletion, after: counted, phase: 'done' });
  }
  await deletions.proceed(tx, workspaceId, { ...deletion, after });
}
