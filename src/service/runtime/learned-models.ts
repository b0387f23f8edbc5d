import { Lru } from '../../kit/lru.ts';
import { emptyModel, type Model } from '../domain/decide/model.ts';
import { parseModel } from '../domain/decide/snapshot.ts';
import type { Log } from '../log.ts';
import { models } from '../store/repositories/models.ts';
import type { Tx } from '../store/store.ts';

/** Number of workspaces whose parsed models are cached. */
const MOST_KNOWN = 100;

/**
 * The newest model of each workspace, parsed once. Each use asks the store for the version, so every process decides
 * by the same model the moment it is published.
 */
export class LearnedModels {
  readonly #log: Log;
  readonly #known = new Lru<string, { version: number; model: Model }>(MOST_KNOWN);

  constructor(log: Log) {
    this.#log = log;
  }

  /** The model to decide by. A snapshot that cannot be read gives the empty one, version 0: a safe answer. */
  async current(tx: Tx, workspaceId: string): Promise<Model> {
    const head = await models.head(tx, workspaceId);
    if (!head || head.version === 0) return emptyModel();
    const known = this.#known.get(workspaceId);
    if (known?.version === head.version) return known.model;
    const text = await models.body(tx, workspaceId, head.version);
    const parsed = text === undefined ? null : parseModel(text);
    if (!parsed)
      this.#log('error', 'the learned model cannot be read; deciding by priors until it is learned again', {
        workspaceId,
        version: head.version,
      });
    const model = parsed ?? emptyModel();
    this.#known.set(workspaceId, { version: head.version, model });
    return model;
  }
}
