import { due } from '../../platform/store/due.ts';
import { type Page, readPage } from '../../platform/store/pages.ts';
import { pipeline } from '../../platform/store/pipeline.ts';
import type { SqlValue, Store, Tx } from '../../platform/store/store.ts';
import type { PartOfReward } from '../engine/delays.ts';
import { featuresOf, unpackFeatures } from '../engine/features.ts';
import type { RewardEntry } from '../engine/learning.ts';
import type { LoggedDecision } from './decision-record.ts';
import { earnings } from './earnings.ts';

export interface NumberedReward extends RewardEntry {
  readonly seq: number;
}

interface Row {
  seq: number;
  decisionId: string;
  contentId: string;
  category: string | null;
  attributes: string | null;
  features: string | null;
  hashId: string;
  context: string;
  prior: number;
  at: number;
  was: number | null;
  reward: number;
  parts: string | null;
}

/** What the log of rewards needs of a decision. */
type Rewarded = Pick<LoggedDecision, 'decisionId' | 'contentId' | 'context' | 'prior' | 'reward'> & {
  readonly earned?: number | null;
};

/** What a decision earns from now on. */
interface Earns {
  readonly reward: number;
  /** What the outcomes of its message are worth. */
  readonly earned: number;
  /** The parts of the reward that changed now; undefined where it has one part, empty where it was calculated again. */
  readonly parts: readonly PartOfReward[] | undefined;
}

interface Rewarding extends Earns {
  readonly decision: Rewarded;
}

/** Rows per statement (see users.ts). */
const CHUNKS = [64, 8, 1];

/** Workspaces per statement. */
const HEADS_PER_QUERY = 64;

/** The rewards of decisions, as an ordered log that the learner reads. */
export const rewards = {
  /** Records the reward of a decision, and that the model is behind. */
  async record(tx: Tx, workspaceId: string, decision: Rewarded, earns: Earns): Promise<void> {
    const added = await rewards.add(tx, workspaceId, [{ decision, ...earns }]);
    if (added > 0) await due.mark(tx, workspaceId, 'learn');
  },

  /**
   * Adds the rewards of decisions to the log, in their order, where they differ from before; returns how many do. This
   * transaction must have locked the decisions, and marks the lane `learn`.
   */
  async add(tx: Tx, workspaceId: string, given: readonly Rewarding[]): Promise<number> {
    const added = given.filter(
      ({ decision, reward, earned }) =>
        decision.contentId !== null &&
        decision.prior !== null &&
        (decision.reward !== reward || (decision.earned ?? 0) !== earned),
    );
    if (added.length === 0) return 0;
    const last = await advance(tx, workspaceId, added.length);
    const rows = added.map(({ decision, reward, earned, parts }, i) => {
      const { decisionId, contentId, context, prior, reward: was } = decision;
      return [
        ...[workspaceId, last - added.length + 1 + i, decisionId, contentId, JSON.stringify(context), prior],
        ...[was, reward, was === null ? null : (decision.earned ?? 0), earned, tx.now, textOf(parts)],
      ];
    });
    const byReward = new Map<number, string[]>();
    for (const { decision, reward } of added)
      byReward.set(reward, [...(byReward.get(reward) ?? []), decision.decisionId]);
    await pipeline([
      ...piecesOf(rows).map((piece) => insert(tx, piece)),
      ...[...byReward].flatMap(([reward, ids]) =>
        piecesOf(ids).map((piece) => earnings.setReward(tx, workspaceId, piece, reward)),
      ),
    ]);
    await tx.notify('outcomes');
    return added.length;
  },

  /** The number of the last entry of each of these workspaces' logs, if there is one. */
  async heads(tx: Tx, workspaceIds: readonly string[]): Promise<{ workspaceId: string; seq: number }[]> {
    const heads: { workspaceId: string; seq: number }[] = [];
    for (let from = 0; from < workspaceIds.length; from += HEADS_PER_QUERY) {
      const part = workspaceIds.slice(from, from + HEADS_PER_QUERY);
      const rows = await tx.sql.all<{ workspaceId: string; seq: number }>(
        `SELECT workspace_id AS "workspaceId", seq FROM reward_head
         WHERE workspace_id IN (${Array(HEADS_PER_QUERY).fill('?').join(', ')})`,
        [...part, ...Array<null>(HEADS_PER_QUERY - part.length).fill(null)],
      );
      heads.push(...rows.map((row) => ({ ...row, seq: Number(row.seq) })));
    }
    return heads;
  },

  /** True if the log of a workspace has entries after a number. */
  async isAhead(store: Pick<Store, 'readOne'>, workspaceId: string, seq: number): Promise<boolean> {
    const head = 'SELECT seq FROM reward_head WHERE workspace_id = ? AND seq > ?';
    return (await store.readOne(head, [workspaceId, seq])) !== undefined;
  },

  /** Reads a page of the log after a number, in order. */
  async after(tx: Tx, workspaceId: string, seq: number, limit: number): Promise<Page<NumberedReward>> {
    const { rows, more } = await readPage<Row>(tx, {
      columns: `r.seq, r.decision_id AS "decisionId", r.content_id AS "contentId", d.category, d.attributes, d.features,
        d.hash_id AS "hashId", r.context, r.prior, r.at_ms AS at, r.was, r.reward, r.parts`,
      long: ['r.content_id', 'r.context', 'r.parts', 'd.category', 'd.attributes', 'd.features', 'd.hash_id'],
      from: `reward r JOIN decision d ON d.workspace_id = r.workspace_id AND d.decision_id = r.decision_id
        WHERE r.workspace_id = ? AND r.seq > ?`,
      params: [workspaceId, seq],
      order: 'r.seq',
      limit,
    });
    const entries = rows.map((row) => ({
      seq: Number(row.seq),
      decisionId: row.decisionId,
      contentId: row.contentId,
      category: row.category ?? '',
      attributes: row.attributes === null ? [] : JSON.parse(row.attributes),
      features:
        row.features === null
          ? featuresOf(JSON.parse(row.context))
          : unpackFeatures(JSON.parse(row.features)),
      // Empty after the erasure of the user.
      user: row.hashId === '' ? null : row.hashId,
      prior: row.prior,
      at: Number(row.at),
      from: row.was,
      to: row.reward,
      ...(row.parts === null ? {} : { parts: partsIn(row.parts) }),
    }));
    return { rows: entries, more };
  },
};

const textOf = (parts: readonly PartOfReward[] | undefined) =>
  parts === undefined ? null : JSON.stringify(parts.map(({ part, from, to }) => [part, from, to]));

const partsIn = (text: string): PartOfReward[] =>
  (JSON.parse(text) as [string, number, number][]).map(([part, from, to]) => ({ part, from, to }));

/** Divides rows into pieces of the lengths of CHUNKS. */
function piecesOf<T>(rows: readonly T[]): T[][] {
  const pieces: T[][] = [];
  let from = 0;
  for (const size of CHUNKS)
    for (; rows.length - from >= size; from += size) pieces.push(rows.slice(from, from + size));
  return pieces;
}

/** Numbers entries of the log of a workspace; returns the last number. Locks the log until the transaction ends. */
async function advance(tx: Tx, workspaceId: string, entries: number): Promise<number> {
  const head = await tx.sql.get<{ seq: number }>(
    `INSERT INTO reward_head (workspace_id, seq) VALUES (?, ?)
     ON CONFLICT (workspace_id) DO UPDATE SET seq = reward_head.seq + excluded.seq RETURNING seq`,
    [workspaceId, entries],
  );
  return Number(head!.seq);
}

/** Inserts entries of the log. */
function insert(tx: Tx, rows: readonly SqlValue[][]): Promise<number> {
  return tx.sql.run(
    `INSERT INTO reward (workspace_id, seq, decision_id, content_id, context, prior, was, reward, earned_was,
       earned, at_ms, parts)
     VALUES ${Array(rows.length).fill('(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}`,
    rows.flat(),
  );
}
