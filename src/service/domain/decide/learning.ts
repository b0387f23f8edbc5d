import { hash32 } from '../../../kit/hash32.ts';
import type { Feature } from './features.ts';
import type { Example, Model } from './model.ts';
import { responseOf } from './reward.ts';
import { countSilence, keepPending, learn, respond } from './update.ts';

/** One entry of the reward log: the reward of a decision, and its previous reward. */
export interface RewardEntry {
  readonly decisionId: string;
  readonly contentId: string;
  readonly category: string;
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
}

/**
 * Folds entries, in the order of the log, into the model, in place. The same log from the same model gives the same
 * result, so every process that reads the log has the same model at the same entry.
 */
export function fold(model: Model, entries: readonly RewardEntry[]): void {
  for (const entry of entries) {
    const example: Example = { ...entry, decision: hash32(entry.decisionId) };
    const response = responseOf(entry.to);
    const before = entry.from === null ? 0 : responseOf(entry.from);
    if (entry.from === null && response === 0) keepPending(model, example);
    else if (entry.from === null) learn(model, example, response);
    else if (response !== before) respond(model, example, before, response);
    countSilence(model, entry.at);
    countWorth(model, entry.contentId, entry.to - (entry.from ?? 0), response - before);
    model.version++;
  }
}

/** Learns the value of responses, separately from their probability. */
function countWorth(model: Model, contentId: string, reward: number, response: number): void {
  const known = model.contents.get(contentId);
  if (!known) return;
  known.rewards += reward;
  known.responses += response;
  model.rewards += reward;
  model.responses += response;
}
