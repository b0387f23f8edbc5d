import { MAX_FEATURES } from './feature-table.ts';
import { COPIES, Model, ownBlock } from './model.ts';

/**
 * Converts a model of layout 1 (one Gaussian per content, one copy): the Gaussian of a content becomes its block in every
 * copy. Categories start at their priors. Null if the model is invalid.
 */
export function convertOldActions(version: unknown, actions: unknown): Model | null {
  if (!Number.isSafeInteger(version) || !Array.isArray(actions)) return null;
  const model = new Model();
  const old = actions.map(readAction);
  if (!old.every((action) => action !== null)) return null;
  const met = new Map<number, number>();
  for (const { keys } of old) for (const key of keys) met.set(key, (met.get(key) ?? 0) + 1);
  met.delete(0);
  for (const [key, count] of [...met].sort((a, b) => b[1] - a[1]).slice(0, MAX_FEATURES - 1)) {
    model.features.rows.set(key, model.features.rows.size);
    model.features.counts.set(key, count);
  }
  for (const { contentId, prior, seen, keys, mean, covariance } of old) {
    const block = ownBlock(prior);
    const rows = keys.map((key) => model.features.rows.get(key) ?? -1);
    block.reserve(Math.max(-1, ...rows) + 1);
    for (let copy = 0; copy < COPIES.length; copy++)
      for (let i = 0; i < keys.length; i++) {
        if (rows[i]! < 0) continue;
        block.setMean(copy, rows[i]!, mean[i]!);
        for (let j = 0; j <= i; j++)
          if (rows[j]! >= 0)
            block.setCovariance(copy, rows[i]!, rows[j]!, covariance[(i * (i + 1)) / 2 + j]!);
      }
    model.contents.set(contentId, { block, seen, life: 0, rewards: 0, responses: 0 });
    model.decisions += seen;
  }
  return model;
}

function readAction(stored: unknown) {
  if (!Array.isArray(stored)) return null;
  const [contentId, prior, seen, keys, mean, covariance] = stored as unknown[];
  if (typeof contentId !== 'string' || !isNumber(prior) || !isNumber(seen)) return null;
  if (!isNumbers(keys) || !isNumbers(mean) || !isNumbers(covariance)) return null;
  const size = keys.length;
  if (mean.length !== size || covariance.length !== (size * (size + 1)) / 2) return null;
  for (let i = 0; i < size; i++) if (covariance[(i * (i + 1)) / 2 + i]! < 0) return null;
  return { contentId, prior, seen, keys, mean, covariance };
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isNumbers = (value: unknown): value is number[] => Array.isArray(value) && value.every(isNumber);
