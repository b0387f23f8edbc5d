import { MAX_FEATURES } from '../feature-table.ts';
import { COPIES, contentHash, DEFAULT_COPY, Model, ownBlocks } from '../model.ts';

/**
 * Converts a model of layout 1 (one Gaussian per content, one copy): the Gaussian of a content becomes its block in the copies
 * with every kind of feature, its bias that in the others. Categories start at their priors. Null if the model is invalid.
 */
export function convertOldActions(version: unknown, actions: unknown): Model | null {
  if (!Number.isSafeInteger(version) || !Array.isArray(actions)) return null;
  const model = new Model();
  const old = actions.map(readAction);
  if (!old.every((action) => action !== null)) return null;
  const met = new Map<number, number>();
  for (const { keys } of old) for (const key of keys) met.set(key, (met.get(key) ?? 0) + 1);
  met.delete(0);
  const { view } = COPIES[DEFAULT_COPY]!;
  const table = model.tables[view]!;
  for (const [key, count] of [...met].sort((a, b) => b[1] - a[1]).slice(0, MAX_FEATURES - 1)) {
    table.rows.set(key, table.rows.size);
    table.counts.set(key, count);
  }
  for (const { contentId, prior, seen, keys, mean, covariance } of old) {
    const blocks = ownBlocks(COPIES.map(() => prior));
    for (const [copy, block] of blocks.entries()) {
      const { rows: known } = model.tables[COPIES[copy]!.view]!;
      const rows = keys.map((key) => known.get(key) ?? -1);
      block.reserve(Math.max(-1, ...rows) + 1);
      for (let i = 0; i < keys.length; i++) {
        if (rows[i]! < 0) continue;
        block.mean[rows[i]!] = mean[i]!;
        for (let j = 0; j <= i; j++)
          if (rows[j]! >= 0) block.setCovariance(rows[i]!, rows[j]!, covariance[(i * (i + 1)) / 2 + j]!);
      }
    }
    const hash = contentHash(contentId, 0);
    model.contents.set(contentId, { blocks, hash, seen, life: 0, rewards: 0, responses: 0 });
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
