import { judgeOf } from '../../../src/contract/event-plan.ts';
import { seededRandom } from '../../../src/kit/random.ts';
import { createWorkspaceRows } from '../../../src/service/admin/create-workspace.ts';
import { goalEvents } from '../../../src/service/decisions/goals/store/goal-events.ts';
import { deleteStep, FLUSHED_MS } from '../../../src/service/erasure/delete-step.ts';
import { type Deletion, deletions, type EventSelection } from '../../../src/service/erasure/deletions.ts';
import { erasures } from '../../../src/service/erasure/store.ts';
import { EventSignals } from '../../../src/service/events/event-signals.ts';
import { mergeOnce } from '../../../src/service/events/id-merger.ts';
import { readBatch } from '../../../src/service/events/ingest/batch.ts';
import { judgeBatch } from '../../../src/service/events/ingest/judge-batch.ts';
import { eventHeads } from '../../../src/service/events/store/event-heads.ts';
import { eventRuns } from '../../../src/service/events/store/event-runs.ts';
import { eventViolations } from '../../../src/service/events/store/event-violations.ts';
import { events } from '../../../src/service/events/store/events.ts';
import { eventIds } from '../../../src/service/events/store/ids/event-ids.ts';
import { WORDS, wordsOf } from '../../../src/service/events/store/ids/id-hashes.ts';
import { KnownIds } from '../../../src/service/events/store/ids/known-ids.ts';
import { recentEvents } from '../../../src/service/events/store/recent-events.ts';
import { userSignals } from '../../../src/service/events/store/user-signals.ts';
import { createCipher } from '../../../src/service/platform/crypto/cipher.ts';
import { due } from '../../../src/service/platform/store/due.ts';
import { removals } from '../../../src/service/platform/store/retention/removals.ts';
import type { Store, Tx } from '../../../src/service/platform/store/store.ts';
import { at, type Op, opsOf, type WorldEvent, WorldInStore } from '../goals/world.ts';

/** A workspace that gets events which are deleted again, and one that never gets them. */
export interface Twins {
  /** How they differ at the end, as text. */
  readonly differences: readonly string[];
  /** Events that were deleted, and those that were left. */
  readonly deleted: number;
  readonly left: number;
}

const cipher = createCipher(Buffer.alloc(32, 7));
const DAY_MS = 86_400_000;
/** Names that the index has. */
const INDEXED = ['order', 'visit'];
const PLAN = judgeOf({
  plan: [
    { event: 'order', properties: { amount: { type: 'number' } }, required: ['amount', 'order'] },
    { event: 'visit' },
  ],
});
/** The only user who is erased: nothing of what is deleted is of this user. */
const ERASED = 0;

interface Sent extends WorldEvent {
  readonly id: string | undefined;
  /** The mistake that sent the event. */
  readonly bad: string | undefined;
}

/** One of the two workspaces, with what a process has in memory. */
class Twin {
  readonly world: WorldInStore;
  readonly signals = new EventSignals();
  readonly known = new KnownIds();
  readonly #store: Store;
  readonly #workspace: string;

  constructor(store: Store, workspace: string) {
    this.#store = store;
    this.#workspace = workspace;
    this.world = new WorldInStore(workspace);
  }

  write<T>(now: number, work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#store.write((tx) => work(at(tx, now)), { durable: false });
  }

  async create(now: number, key: Uint8Array | undefined): Promise<Uint8Array> {
    return this.write(now, async (tx) => {
      await createWorkspaceRows(tx, { id: this.#workspace, region: null, mode: 'test' });
      if (key)
        await tx.sql.run('UPDATE workspace SET hash_key = ? WHERE workspace_id = ?', [key, this.#workspace]);
      await eventHeads.setNames(tx, this.#workspace, INDEXED);
      const row = await tx.sql.get<{ key: Uint8Array }>(
        'SELECT hash_key AS key FROM workspace WHERE workspace_id = ?',
        [this.#workspace],
      );
      return row!.key;
    });
  }

  async ingest(now: number, sent: readonly Sent[], run: string | undefined): Promise<void> {
    const body = JSON.stringify({
      events: sent.map(({ user, event, at, amount, currency, order, id, bad }) => ({
        userId: `u${user}`,
        event,
        timestamp: new Date(at).toISOString(),
        properties: { currency, amount, order, bad },
        eventId: id,
      })),
    });
    const batch = readBatch(Buffer.from(body));
    const violated = judgeBatch(PLAN, batch);
    const committed = await this.write(now, async (tx) => {
      const { first, names, erasing, found } = await events.append(tx, this.#workspace, batch, this.known);
      const isStored = (i: number, userId: string) => !erasing.has(userId) && !found?.repeated.has(i);
      if (run !== undefined)
        await eventRuns.add(tx, this.#workspace, run, { first, last: first + batch.length - 1 });
      await recentEvents.add(
        tx,
        this.#workspace,
        [...batch.named(names)].flatMap(([i, { userId, event, timestamp }]) =>
          isStored(i, userId) ? [{ number: first + i, userId, event, at: Date.parse(timestamp) }] : [],
        ),
      );
      this.signals.note(this.#workspace, batch, isStored);
      if (violated) await eventViolations.add(tx, this.#workspace, violated.stored(isStored), 'stored');
      await due.mark(tx, this.#workspace, 'goals');
      return () => found?.committed(first + batch.length - 1);
    });
    committed();
  }

  /** What the writer of counts does. */
  async flush(now: number): Promise<void> {
    const taken = this.signals.take(10_000);
    if (taken.length > 0) await this.write(now, (tx) => userSignals.add(tx, taken));
  }

  async erase(now: number): Promise<void> {
    await this.write(now, async (tx) => {
      const hashId = await this.world.hashOf(tx, ERASED);
      const user = { hashId, userId: `u${ERASED}` };
      await erasures.start(tx, cipher, this.#workspace, hashId);
      const { number } = await eventHeads.get(tx, this.#workspace);
      const erasure = {
        ...user,
        phase: 'scan' as const,
        after: 0,
        upTo: number,
        requestedAt: now,
        afterId: '',
      };
      await erasures.scanEvents(tx, this.#workspace, erasure, number);
      await erasures.forget(tx, this.#workspace, user);
      await tx.sql.run(`UPDATE erasure SET phase = 'files' WHERE workspace_id = ?`, [this.#workspace]);
      await erasures.end(tx, this.#workspace, erasure);
    });
    this.signals.take(10_000);
  }

  async removeOld(now: number, before: number): Promise<void> {
    await this.write(now, async (tx) => {
      const cutoffs = {
        events: before,
        decisions: null,
        notifications: null,
        eventIds: null,
        outcomes: null,
      };
      while ((await removals.rows(tx, this.#workspace, 'events', 'event', before, 500)) > 0);
      await recentEvents.purge(tx, this.#workspace, 10_000, cutoffs);
      await goalEvents.purge(tx, this.#workspace, 10_000);
      await eventRuns.purge(tx, this.#workspace, 10_000);
    });
  }

  /**
   * Everything that events leave in the workspace, by name, without their numbers. `agedOut`: events were removed by age,
   * whose times nobody knows any more.
   */
  async state(agedOut: boolean): Promise<Record<string, readonly string[]>> {
    return this.#store.read(async (tx) => {
      const all = async (sql: string) =>
        (await tx.sql.all<Record<string, unknown>>(sql, [this.#workspace]))
          .map((row) => JSON.stringify(row))
          .sort();
      const goal = `(SELECT goal_id || ' ' || definition FROM goal g
        WHERE g.workspace_id = t.workspace_id AND g.goal = t.goal) AS goal`;
      return {
        events: await all(
          'SELECT user_id, event, timestamp, properties, event_id FROM event WHERE workspace_id = ?',
        ),
        recent: await all('SELECT user_id, event, at_ms FROM recent_event WHERE workspace_id = ?'),
        signals: await all(
          `SELECT user_id, event, count${agedOut ? '' : ', last_ms'} FROM user_signal WHERE workspace_id = ?`,
        ),
        violations: await all(
          'SELECT day, event, property, rule, count FROM event_violation WHERE workspace_id = ?',
        ),
        goals: await all('SELECT goal_id, events, clipped, unreadable FROM goal WHERE workspace_id = ?'),
        goalEvents: await all(
          `SELECT ${goal}, hash_id, at_ms, value, counted, match_key, decisions FROM goal_event t WHERE workspace_id = ?`,
        ),
        goalUsers: await all(
          `SELECT ${goal}, hash_id, policy, value FROM goal_user t WHERE workspace_id = ? AND value <> 0`,
        ),
        goalCounts: await all(
          `SELECT ${goal}, content_id, policy, converted, value, squares FROM goal_count t
           WHERE workspace_id = ? AND (converted <> 0 OR value <> 0)`,
        ),
        decisions: (
          await tx.sql.all<{ id: string; goals: string | null; reward: number | null }>(
            'SELECT decision_id AS id, goals, reward FROM decision WHERE workspace_id = ?',
            [this.#workspace],
          )
        )
          .map(({ id, goals, reward }) => {
            const sums = Object.values(goals === null ? {} : (JSON.parse(goals) as Record<string, number>));
            return `${id} ${sums.sort().join(' ')} ${reward === null ? '' : reward.toFixed(9)}`;
          })
          .sort(),
        ids: await this.#ids(tx),
        recounts: await all('SELECT user_id, event FROM signal_recount WHERE workspace_id = ?'),
      };
    });
  }

  /** The hashes of the ids that are known. */
  async #ids(tx: Tx): Promise<string[]> {
    const found: string[] = [];
    for (const { run, blocks } of await eventIds.runs(tx, this.#workspace)) {
      const [whole] = await eventIds.before(tx, this.#workspace, run + 1, 1);
      const parts =
        blocks === 0
          ? [wordsOf(whole!.hashes!)]
          : await eventIds.hashes(tx, this.#workspace, [[run, 0, blocks]]);
      for (const words of parts)
        for (let from = 0; from < words.length; from += WORDS)
          found.push(words.slice(from, from + WORDS).join(' '));
    }
    return found.sort();
  }
}

/**
 * Plays one interleaving of ingest, deletions, goals, an erasure and retention in both workspaces, of which only the first
 * one gets the events that are deleted. Each step of a deletion is a transaction, and some of them do not end.
 */
export async function playTwins(
  store: Store,
  seed: string,
  size = { users: 5, decisions: 24, events: 72 },
): Promise<Twins> {
  const random = seededRandom(`twins ${seed}`);
  const below = (limit: number) => Math.floor(random() * limit);
  const ids = [`ws_with_${seed}`, `ws_never_${seed}`] as const;
  const [wronged, never] = ids.map((id) => new Twin(store, id)) as [Twin, Twin];
  const ops = [...opsOf(seed, size)];
  const key = await wronged.create(ops[0]!.now, undefined);
  await never.create(ops[0]!.now, key);

  /** The mistakes that have yet to be deleted: when each was received. */
  const mistakes = new Map<string, number>();
  /** The ids of events that were deleted: they may be sent again. */
  const freed: string[] = [];
  const byDeletion = new Map<string, string>();
  let order = 0;
  let deleted = 0;
  let erased = false;
  let agedOut = false;
  const idFor = (good: boolean) => {
    if (random() < 0.4) return undefined;
    if (good && random() < 0.3 && freed.length > 0) return freed.splice(below(freed.length), 1)[0];
    return `${good ? 'good' : 'bad'} ${order++}`;
  };
  const idsOfMistake = new Map<string, string[]>();

  const start = async (now: number) => {
    const left = [...mistakes.keys()].filter((mistake) => ![...byDeletion.values()].includes(mistake));
    if (left.length === 0) return;
    const mistake = left[below(left.length)]!;
    const selection: EventSelection = random() < 0.5 ? { run: mistake } : { filter: `bad:${mistake}` };
    const begun = await wronged.write(now, (tx) => deletions.start(tx, cipher, ids[0], selection, false));
    byDeletion.set(begun.deletionId, mistake);
  };
  const step = async (now: number, fails: boolean): Promise<Deletion | undefined> => {
    // Before the wait ends, every process has stored its counts.
    await wronged.flush(now);
    let done: Deletion | undefined;
    await wronged
      .write(now, async (tx) => {
        done = await deletions.next(tx, cipher, ids[0]);
        const catalog = { ...wronged.world.catalog, eventPlan: PLAN };
        if (done)
          await deleteStep(tx, { of: async () => catalog, isCurrent: async () => true }, ids[0], done);
        if (fails) throw new Error('killed');
      })
      .catch((error) => {
        if (!String(error).includes('killed')) throw error;
      });
    if (!done || fails) return done;
    const after = await wronged.write(now, (tx) => deletions.get(tx, cipher, ids[0], done!.deletionId));
    const mistake = byDeletion.get(done.deletionId)!;
    if (done.phase === 'scan' && after!.phase !== 'scan') {
      deleted += after!.found;
      mistakes.delete(mistake);
      freed.push(...(idsOfMistake.get(mistake) ?? []));
    }
    if (after!.phase === 'done') byDeletion.delete(done.deletionId);
    return after;
  };

  const play = async (op: Op) => {
    if (op.op !== 'ingest') {
      for (const twin of [wronged, never]) await twin.write(op.now, (tx) => twin.world.apply(tx, op));
      return;
    }
    const good = op.events.map((event): Sent => ({ ...event, id: idFor(true), bad: undefined }));
    if (random() < 0.5) {
      const mistake = `m${order++}`;
      const bad = op.events
        .filter(({ user }) => user !== ERASED)
        .map(
          (event): Sent => ({
            ...event,
            at: event.at + below(3) * 3_600_000,
            id: idFor(false),
            bad: mistake,
          }),
        );
      if (bad.length > 0) {
        await wronged.ingest(op.now, bad, mistake);
        mistakes.set(mistake, op.now);
        idsOfMistake.set(
          mistake,
          bad.flatMap(({ id }) => id ?? []),
        );
      }
    }
    for (const twin of [wronged, never]) await twin.ingest(op.now, good, undefined);
  };

  for (const op of ops) {
    await play(op);
    if (random() < 0.3) await start(op.now + 6);
    for (let i = below(3); i > 0; i--) await step(op.now + 7, random() < 0.2);
    if (random() < 0.2) for (const twin of [wronged, never]) await twin.flush(op.now + 8);
    if (random() < 0.1) await mergeOnce({ store, precedence: NOTHING_WAITS }, ids[below(2)]!, DAY_MS);
    if (!erased && random() < 0.02) {
      erased = true;
      for (const twin of [wronged, never]) await twin.flush(op.now + 8);
      for (const twin of [wronged, never]) await twin.erase(op.now + 9);
    }
    if (random() < 0.04) {
      // What is removed by age can no longer be taken back: no mistake is removed before.
      agedOut = true;
      const before = Math.min(op.now - 12 * DAY_MS, ...mistakes.values());
      for (const twin of [wronged, never]) await twin.removeOld(op.now + 10, before);
    }
  }
  let now = ops.at(-1)!.now + DAY_MS;
  while (mistakes.size > 0 || byDeletion.size > 0) {
    await start(now);
    await step(now, false);
    now += FLUSHED_MS;
  }
  for (const twin of [wronged, never]) {
    await twin.flush(now);
    while (await twin.write(now, (tx) => twin.world.finish(tx, now)));
  }
  const [is, should] = [await wronged.state(agedOut), await never.state(agedOut)];
  const differences = Object.keys(should).flatMap((name) => {
    const [a, b] = [is[name]!, should[name]!];
    const more = a.filter((row) => !b.includes(row)).map((row) => `${name}: has ${row}`);
    const less = b.filter((row) => !a.includes(row)).map((row) => `${name}: lacks ${row}`);
    const sizes = a.length === b.length ? [] : [`${name}: ${a.length} rows, not ${b.length}`];
    return [...more, ...less, ...sizes];
  });
  return { differences: differences.slice(0, 20), deleted, left: should.events!.length };
}

const NOTHING_WAITS = { yieldToRequests: async () => {} } as never;
