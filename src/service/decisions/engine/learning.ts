import { hash32 } from '../../../kit/hash32.ts';
import type { PartOfReward } from './delays.ts';
import type { Feature } from './features.ts';
import type { Example, Model } from './model.ts';
import { countPending, keepPending, respond } from './update.ts';

/** One entry of the reward log: the reward of a decision, and its previous reward. */
export interface RewardEntry {
  readonly decisionId: string;
  readonly contentId: string;
  readonly category: string;
  /** Attributes of the content when it was chosen. */
  readonly attributes: readonly number[];
  /** The features of the decision; labels may be empty. */
  readonly features: readonly Feature[];
  /** Hash of the user; null if unknown. */
  readonly user: string | null;
  /** Prior of the content when it was chosen. */
  readonly prior: number;
  /** When the entry was written, Unix ms. */
  readonly at: number;
  /** Null for the first entry of a decision. */
  readonly from: number | null;
  readonly to: number;
  /** The parts of the reward that changed and tell how long responses take; left out where no goal is learned. */
  readonly parts?: readonly PartOfReward[];
}

/**
 * Folds entries, in the order of the log, into the model, in place. The same log from the same model gives the same
 * result, so every process that reads the log has the same model at the same entry.
 */
export function fold(model: Model, entries: readonly RewardEntry[]): void {
  for (const entry of entries) {
    const example: Example = { ...entry, decision: hash32(entry.decisionId) };
    const { from, to, parts = [{ part: '', from: from ?? 0, to }] } = entry;
    if (from === null) keepPending(model, example, to, parts);
    else respond(model, example, { from, to, parts });
    countPending(model, entry.at);
    model.version++;
  }
}
