import { seededRandom } from '../../../src/kit/random.ts';
import { toCatalog } from '../../../src/service/catalog/catalog.ts';
import type { CatalogFile } from '../../../src/service/catalog/schema.ts';
import { countStep } from '../../../src/service/decisions/goals/count-step.ts';
import { formulaOf } from '../../../src/service/decisions/goals/formula.ts';
import { checkGuards, pagesOf } from '../../../src/service/decisions/goals/guard-step.ts';
import { rechecks } from '../../../src/service/decisions/goals/store/rechecks.ts';
import { rewardEndpoints } from '../../../src/service/decisions/reward-endpoint.ts';
import { settleOnce } from '../../../src/service/decisions/reward-log-writer.ts';
import { recordReward, startCounting } from '../../../src/service/decisions/start-counting.ts';
import { contentCounts } from '../../../src/service/decisions/store/content-counts.ts';
import { decisions } from '../../../src/service/decisions/store/decisions.ts';
import { earnings } from '../../../src/service/decisions/store/earnings.ts';
import { readBatch } from '../../../src/service/events/ingest/batch.ts';
import { events } from '../../../src/service/events/store/events.ts';
import { hashId } from '../../../src/service/platform/crypto/hash-id.ts';
import { due } from '../../../src/service/platform/store/due.ts';
import type { Tx } from '../../../src/service/platform/store/store.ts';
import { workspaces } from '../../../src/service/platform/store/workspaces.ts';

export const WORKSPACE = 'ws_goals';
const START = Date.parse('2026-03-01T00:00:00Z');
const MINUTE = 60_000;

/** An event of the world: of a goal, a refund, or one that nothing counts. */
export interface WorldEvent {
  readonly user: number;
  readonly event: string;
  readonly at: number;
  readonly amount: number | string | undefined;
  readonly currency: string;
  readonly order: string | undefined;
}

interface At {
  /** Unix ms. */
  readonly now: number;
}
export type Op = At &
  (
    | { readonly op: 'decide'; readonly id: number; readonly user: number; readonly polled: boolean }
    | { readonly op: 'serve'; readonly id: number }
    | { readonly op: 'outcome'; readonly id: number; readonly type: 'opened' | 'clicked' | 'actioned' }
    | { readonly op: 'ingest'; readonly events: readonly WorldEvent[] }
    | { readonly op: 'catalog'; readonly catalog: number }
    | { readonly op: 'count' }
    | { readonly op: 'settle' }
    | { readonly op: 'guards' }
    | { readonly op: 'reward'; readonly id: number; readonly value: number; readonly goalId?: string }
  );

export interface Size {
  readonly users: number;
  readonly decisions: number;
  readonly events: number;
  /**
   * Guards are looked at, one content does harm, and rewards are reported from outside: what decisions earn then is not what
   * brute-force.ts says.
   */
  readonly guards?: boolean;
}

/** What a decision chose, by its number. */
export const contentOf = (id: number) => `c${id % 5}`;
export const categoryOf = (id: number) => (id % 5 < 3 ? 'low' : 'high');
export const surfaceOf = (id: number) => (id % 3 === 0 ? 'cart' : 'home');
export const policyOf = (id: number) =>
  ([null, 'holdout', 'weights'] as const)[id % 7 < 5 ? 0 : (id % 7) - 4]!;

const order = { goalId: 'order', event: 'order', within: '7d' } as const;
const value = { property: 'amount', from: 0, to: 200 };
const negative = { event: 'refund', match: 'order' };
const guard = { worseThan: 0.01 };

/** The goals of the catalogs that hold one after another. */
export const GOALS: readonly NonNullable<CatalogFile['goals']>[] = [
  [
    { ...order, value, negative },
    { goalId: 'visit', event: 'visit', within: '2h', attribute: 'first', guard },
  ],
  [
    { ...order, where: 'currency:EUR', value, negative },
    { goalId: 'visit', event: 'visit', within: '2h', attribute: 'first', guard },
    { goalId: 'each', event: 'order', within: '1d', attribute: 'each', categories: ['low'] },
  ],
  [
    { ...order, where: 'currency:EUR amount>5', value, negative, guard },
    { goalId: 'each', event: 'order', within: '1d', attribute: 'each', categories: ['low'], negative },
    { goalId: 'opened', event: 'order', within: '3d', after: 'opened', value },
    { goalId: 'clicked', event: 'visit', within: '12h', after: 'clicked', attribute: 'each' },
    {
      goalId: 'cart',
      event: 'order',
      within: '30m',
      surface: 'cart',
      contents: ['c0', 'c3'],
      attribute: 'first',
    },
  ],
];
export const REWARDS = [
  undefined,
  { goal: 'order' },
  { goals: { order: 0.75, each: 0.25, clicked: 0.125 }, outcomes: 0.25 },
] as const;

const CATALOGS = GOALS.map((list, i) =>
  toCatalog({
    contents: ['c0', 'c1', 'c2', 'c3', 'c4'].map((contentId) => ({
      ...{ contentId, category: 'any', format: 'card', title: contentId, body: '', channels: [] },
    })),
    goals: [...list],
    ...(REWARDS[i] ? { settings: { reward: REWARDS[i] } } : {}),
  } as CatalogFile),
);

/** What happens in a world, in order. The same seed gives the same. */
export function* opsOf(
  seed: string,
  { users, decisions: decided, events: sent, guards = false }: Size,
): Generator<Op> {
  const random = seededRandom(seed);
  const others = seededRandom(`others ${seed}`);
  const below = (limit: number) => Math.floor(random() * limit);
  const waiting: number[] = [];
  const served: number[] = [];
  const perDecision = Math.ceil(sent / decided);
  const step = Math.floor((30 * 24 * 60 * MINUTE) / decided);
  let orders = 0;
  for (let id = 0; id < decided; id++) {
    const now = START + id * step;
    if (id === Math.floor(decided / 3)) yield { op: 'catalog', catalog: 1, now };
    if (id === Math.floor((2 * decided) / 3)) yield { op: 'catalog', catalog: 2, now };
    const polled = random() < 0.5;
    const made = below(users);
    yield { op: 'decide', id, user: made, polled, now };
    (polled ? waiting : served).push(id);
    // Some messages are never served: they were withdrawn.
    if (random() < 0.4 && waiting.length > 0) {
      const [due] = waiting.splice(below(waiting.length), 1);
      if (random() < 0.8) {
        yield { op: 'serve', id: due!, now: now + 1 };
        served.push(due!);
      }
    }
    if (waiting.length > 50) waiting.shift();
    if (random() < 0.3 && served.length > 0)
      yield {
        op: 'outcome',
        id: served[served.length - 1 - below(Math.min(served.length, 40))]!,
        type: (['opened', 'clicked', 'actioned'] as const)[below(3)]!,
        now: now + 2,
      };
    const batch: WorldEvent[] = [];
    for (let i = 0; i < perDecision; i++) {
      const kind = random();
      // Most are fresh, some are late imports or of a clock that is ahead.
      const lag = random() < 0.7 ? below(8 * step) - 5 * step : below(9 * 24 * 60 * MINUTE);
      const event = kind < 0.45 ? 'order' : kind < 0.55 ? 'refund' : kind < 0.8 ? 'visit' : 'other';
      if (event === 'order') orders++;
      const number = event === 'refund' ? below(orders + 5) : orders;
      batch.push({
        // A refund is of the user who ordered, mostly.
        user:
          (event === 'refund' || event === 'order') && random() < 0.8 ? (7 * number) % users : below(users),
        event,
        at: now - lag,
        amount: random() < 0.05 ? 'free' : random() < 0.05 ? undefined : below(30_000) / 100,
        currency: random() < 0.6 ? 'EUR' : 'USD',
        order: random() < 0.9 ? `o${number}` : undefined,
      });
    }
    if (guards) yield* guardOps({ id, user: made, served, now }, others);
    yield { op: 'ingest', events: batch, now: now + 3 };
    if (random() < 0.6) yield { op: 'count', now: now + 4 };
    if (random() < 0.3) yield { op: 'settle', now: now + 5 };
  }
}

/** What happens besides where there are guards: harm that a content does, looks, and rewards from outside. */
function* guardOps(
  { id, user, served, now }: At & { id: number; user: number; served: readonly number[] },
  random: () => number,
): Generator<Op> {
  const harms = contentOf(id) === 'c0' && policyOf(id) === null && served.at(-1) === id;
  if (harms && random() < 0.95) {
    const event = { user, at: now + 1, amount: 200, currency: 'EUR', order: undefined };
    yield {
      op: 'ingest',
      events: ['visit', 'order'].map((name) => ({ ...event, event: name })),
      now: now + 2,
    };
  }
  if (random() < 0.2) yield { op: 'guards', now: now + 2 };
  if (random() < 0.2 && served.length > 0) {
    const given = served[Math.floor(random() * served.length)]!;
    const goalId = random() < 0.5 ? 'order' : undefined;
    yield {
      op: 'reward',
      id: given,
      value: Math.floor(random() * 5) / 4,
      ...(goalId && { goalId }),
      now: now + 2,
    };
  }
}

/** A transaction at another time. */
export const at = (tx: Tx, now: number): Tx => ({
  sql: tx.sql,
  now,
  lock: (name) => tx.lock(name),
  tryLock: (name) => tx.tryLock(name),
  notify: (topic) => tx.notify(topic),
  deferUntilCommit: (statements) => tx.deferUntilCommit(statements),
});

/** Makes what happens in a world happen in a store. */
export class WorldInStore {
  catalog = CATALOGS[0]!;
  readonly workspace: string;
  #key: Uint8Array | undefined;

  constructor(workspace = WORKSPACE) {
    this.workspace = workspace;
  }

  async hashOf(tx: Tx, user: number): Promise<string> {
    this.#key ??= await workspaces.hashKey(tx, this.workspace);
    return hashId(this.#key, `u${user}`);
  }

  /** Takes note of what an earlier process made happen. */
  skip(op: Op): void {
    if (op.op === 'catalog') this.catalog = CATALOGS[op.catalog]!;
  }

  async apply(given: Tx, op: Op): Promise<void> {
    const tx = at(given, op.now);
    const call = { tx, workspace: { id: this.workspace, region: null, mode: 'live' as const } };
    const counting = { catalog: this.catalog, repeatable: false };
    if (op.op === 'catalog') {
      this.catalog = CATALOGS[op.catalog]!;
      await due.mark(tx, this.workspace, 'goals');
    } else if (op.op === 'decide') {
      const hash = await this.hashOf(tx, op.user);
      await decisions.add(
        tx,
        this.workspace,
        {
          decisionId: `d${op.id}`,
          hashId: hash,
          context: { surface: surfaceOf(op.id) },
          contentId: contentOf(op.id),
          candidates: [],
          others: null,
          features: null,
          category: categoryOf(op.id),
          attributes: [],
          prior: 0.1,
          modelVersion: 0,
          seed: 's',
          policy: policyOf(op.id),
          reason: null,
          explanation: null,
          removed: null,
        },
        !op.polled,
      );
      if (!op.polled) await rechecks.mark(tx, this.workspace, hash);
    } else if (op.op === 'serve') {
      const decision = (await earnings.lockForUpdate(tx, this.workspace, `d${op.id}`))!;
      await startCounting(call, counting, decision);
    } else if (op.op === 'outcome') {
      const decision = (await earnings.lockForUpdate(tx, this.workspace, `d${op.id}`))!;
      const added = await tx.sql.run(
        `INSERT INTO outcome (workspace_id, kind, id, type, at_ms, hash_id) VALUES (?, 'message', ?, ?, ?, ?)
         ON CONFLICT (workspace_id, kind, id, type) DO NOTHING`,
        [this.workspace, decision.decisionId, op.type, op.now, decision.hashId],
      );
      if (added === 0) return;
      await recordReward(call, counting, decision, op.type);
      await rechecks.mark(tx, this.workspace, decision.hashId);
    } else if (op.op === 'ingest') {
      const sent = op.events.map(({ user, event, at, amount, currency, order }) => ({
        userId: `u${user}`,
        event,
        timestamp: new Date(at).toISOString(),
        properties: {
          currency,
          ...(amount === undefined ? {} : { amount }),
          ...(order === undefined ? {} : { order }),
        },
      }));
      await events.append(tx, this.workspace, readBatch(Buffer.from(JSON.stringify({ events: sent }))));
      await due.mark(tx, this.workspace, 'goals');
    } else if (op.op === 'count') await countStep(tx, this.workspace, this.catalog);
    else if (op.op === 'guards') {
      while (await contentCounts.follow(tx, this.workspace));
      for (const page of pagesOf(this.catalog))
        await checkGuards(tx, this.workspace, this.catalog, page, Number.POSITIVE_INFINITY);
    } else if (op.op === 'reward') {
      const { rewardDecision } = rewardEndpoints({ of: async () => this.catalog } as never, false);
      const { value, goalId } = op;
      await (rewardDecision as { handle: (given: object) => Promise<unknown> }).handle({
        ...{ tx, workspace: { id: this.workspace }, params: { decisionId: `d${op.id}` } },
        ...{ body: { value, goalId }, requestId: 'r' },
      });
    } else await settleOnce(tx, this.workspace, 200, await formulaOf(tx, this.workspace, this.catalog));
  }

  /** One piece of what is left to count. Returns whether more is left. */
  async finish(given: Tx, now: number): Promise<boolean> {
    const tx = at(given, now);
    const { settled } = await settleOnce(
      tx,
      this.workspace,
      200,
      await formulaOf(tx, this.workspace, this.catalog),
    );
    return (await countStep(tx, this.workspace, this.catalog)) || settled > 0;
  }
}
