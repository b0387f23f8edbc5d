import { randomUUID } from 'node:crypto';
import { SharedRuns } from '../../kit/shared-runs.ts';
import type { Log } from '../platform/log.ts';
import type { Store, Tx } from '../platform/store/store.ts';
import { forgetUser } from './engine/forget.ts';
import { fold } from './engine/learning.ts';
import { emptyModel, type Model } from './engine/model.ts';
import { parseModel, serialiseModel } from './engine/snapshot.ts';
import { type ModelHead, models, piecesOf } from './store/models.ts';
import { rewards } from './store/rewards.ts';

/** Entries of the reward log folded in without a pause: a few milliseconds of work. */
const CHUNK = 32;
/** Pieces of models that were dropped which are removed with each piece that is stored. */
const REMOVED = 2;

/**
 * Numbers of eight bytes that the models in memory may take: 64 MB, so that a service stays under 400 MB. One alone takes
 * at most 40 MB. The model not used for the longest time makes room, and is read again from the store.
 */
const MAX_NUMBERS = 8_000_000;

/**
 * The model of each workspace, held in memory and kept up with the reward log by this process. The log alone says
 * what a model is, so every process has the same one at the same entry; a snapshot in the store only spares a new
 * process the way from the first entry.
 */
export class LearnedModels {
  readonly #log: Log;
  readonly #held = new Map<string, Model>();
  readonly #limit: number;
  readonly #follows = new SharedRuns<number>();

  constructor(log: Log, limit = MAX_NUMBERS) {
    this.#log = log;
    this.#limit = limit;
  }

  /** The model to decide by. Where no snapshot can be read, learning starts again from the whole log. */
  async current(tx: Tx, workspaceId: string): Promise<Model> {
    const held = this.#held.get(workspaceId);
    if (held) {
      this.#held.delete(workspaceId);
      this.#held.set(workspaceId, held);
      return held;
    }
    const model = await this.#newestSound(tx, workspaceId);
    // Another request may have read it meanwhile.
    const known = this.#held.get(workspaceId);
    if (known) return known;
    this.#held.set(workspaceId, model);
    this.trim();
    return model;
  }

  /**
   * Folds in what is new in the log of a workspace; returns how many entries. Reads what is committed only: an entry
   * of a transaction that is undone later must not be learned. Those who ask at once share the reads.
   */
  follow(store: Store, workspaceId: string): Promise<number> {
    return this.#follows.run(workspaceId, () => this.#follow(store, workspaceId));
  }

  async #follow(store: Store, workspaceId: string): Promise<number> {
    const held = this.#held.get(workspaceId);
    // Mostly there is nothing new, which one statement tells.
    if (held && !(await rewards.isAhead(store, workspaceId, held.version))) return 0;
    const { model, entries } = await store.read(async (tx) => {
      const model = await this.current(tx, workspaceId);
      const { rows } = await rewards.after(tx, workspaceId, model.version, CHUNK);
      return { model, entries: rows };
    });
    const fresh = entries.filter((entry) => entry.seq > model.version);
    fold(model, fresh);
    return fresh.length;
  }

  /** Removes what the held model of a workspace learned of a user. */
  forgetUser(workspaceId: string, user: string): void {
    const model = this.#held.get(workspaceId);
    if (model) forgetUser(model, user);
  }

  /** Removes what the stored models of a workspace learned of a user. One that is being stored is given up. */
  async forgetStored(tx: Tx, workspaceId: string, user: string): Promise<void> {
    await models.lockForUpdate(tx, workspaceId);
    await models.removeOthers(tx, workspaceId);
    for (const { version } of await models.kept(tx, workspaceId)) {
      const model = parseModel(await models.body(tx, workspaceId, version));
      if (!model || !forgetUser(model, user)) continue;
      await models.replace(tx, workspaceId, version, serialiseModel(model));
    }
  }

  /** Whether the model of a workspace is held. */
  holds(workspaceId: string): boolean {
    return this.#held.has(workspaceId);
  }

  /** The workspaces whose models are held. */
  held(): string[] {
    return [...this.#held.keys()];
  }

  /** Whether the held model is behind an entry of the log; one that is not held is. */
  isBehind(workspaceId: string, seq: number): boolean {
    return (this.#held.get(workspaceId)?.version ?? 0) < seq;
  }

  /**
   * Stores the held model of a workspace, where it is ahead of the stored one, piece by piece: a large one in one transaction
   * would keep requests waiting for half a second. Returns the size of its text, and 0 if nothing is to be stored, `proceed`
   * resolved to false before a piece, or an erasure or another process came between. `ended` runs in the last transaction unless it was given up.
   */
  async publish(
    store: Store,
    workspaceId: string,
    proceed: () => Promise<boolean>,
    ended: (tx: Tx) => Promise<void> = async () => {},
  ): Promise<number> {
    const attempt = randomUUID();
    let pieces: readonly string[] = [];
    let head: ModelHead = { version: 0, learnedSeq: 0 };
    /** Stores a piece; returns whether the model is still to be stored. */
    const step = async (tx: Tx, piece: number): Promise<boolean> => {
      const stored = await models.lockForUpdate(tx, workspaceId);
      if (piece === 0) {
        const model = this.#held.get(workspaceId);
        if (!model || model.version <= stored.learnedSeq) {
          await ended(tx);
          return false;
        }
        head = { version: model.version, learnedSeq: model.version };
        pieces = piecesOf(serialiseModel(model));
        await models.begin(tx, workspaceId, head, attempt);
      } else if (!(await models.isStoredBy(tx, workspaceId, attempt))) return false;
      await models.add(tx, workspaceId, head.version, piece, pieces[piece]!);
      await models.removePieces(tx, workspaceId, REMOVED);
      if (piece < pieces.length - 1) return true;
      await models.finish(tx, workspaceId, head);
      await ended(tx);
      return true;
    };
    for (let piece = 0; piece === 0 || piece < pieces.length; piece++) {
      if (!(await proceed())) return 0;
      const isStored = await store.write((tx) => step(tx, piece), { durable: false, bulk: true });
      if (!isStored) return 0;
    }
    return pieces.reduce((sum, { length }) => sum + length, 0);
  }

  /** Drops the models that were not used for the longest time. The log has what they learned since their snapshot. */
  trim(): void {
    let numbers = 0;
    for (const [workspaceId, model] of [...this.#held].reverse()) {
      numbers += model.size;
      if (numbers > this.#limit && this.#held.size > 1) this.#held.delete(workspaceId);
    }
  }

  /** Memory that the held models take, about, in numbers of eight bytes. */
  get size(): number {
    let size = 0;
    for (const model of this.#held.values()) size += model.size;
    return size;
  }

  async #newestSound(tx: Tx, workspaceId: string): Promise<Model> {
    for (const { learnedSeq, version } of await models.kept(tx, workspaceId)) {
      const model = parseModel(await models.body(tx, workspaceId, version));
      if (model) {
        model.version = learnedSeq;
        return model;
      }
      this.#log('error', 'the learned model cannot be read; deciding by priors until it is learned again', {
        workspaceId,
        version,
      });
    }
    return emptyModel();
  }
}
