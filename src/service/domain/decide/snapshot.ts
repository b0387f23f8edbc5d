import { emptyModel, type Model, type Posterior } from './model.ts';

/** Layout of a stored model. Another layout is not read: the model then starts from its priors. */
const LAYOUT = 1;

/** A model as text, for the store. The same model gives the same text. */
export function serialiseModel(model: Model): string {
  const actions = [...model.actions].map(([contentId, p]) => [
    contentId,
    p.prior,
    p.seen,
    p.keys,
    p.mean,
    p.covariance,
  ]);
  return JSON.stringify({ layout: LAYOUT, version: model.version, actions });
}

/**
 * Reads a stored model, or returns null for anything that is not a whole and sound one (cut off, another layout,
 * sizes that do not fit, a number that is none, a negative variance): the caller decides on the priors instead.
 */
export function parseModel(text: string): Model | null {
  let stored: unknown;
  try {
    stored = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(stored) || stored.layout !== LAYOUT || !Array.isArray(stored.actions)) return null;
  if (!Number.isSafeInteger(stored.version)) return null;
  const actions = new Map<string, Posterior>();
  for (const action of stored.actions) {
    const read = readAction(action);
    if (!read) return null;
    actions.set(...read);
  }
  return { version: stored.version as number, actions };
}

/** The model of this text, or the one that has learned nothing, marked as version 0. */
export function modelOrEmpty(text: string | undefined): Model {
  return (text === undefined ? null : parseModel(text)) ?? emptyModel();
}

function readAction(stored: unknown): [string, Posterior] | null {
  if (!Array.isArray(stored)) return null;
  const [contentId, prior, seen, keys, mean, covariance] = stored as unknown[];
  if (typeof contentId !== 'string' || !isNumber(prior) || !isNumber(seen)) return null;
  if (!isNumbers(keys) || !isNumbers(mean) || !isNumbers(covariance)) return null;
  const size = keys.length;
  if (mean.length !== size || covariance.length !== (size * (size + 1)) / 2) return null;
  for (let i = 0; i < size; i++) if (covariance[(i * (i + 1)) / 2 + i]! < 0) return null;
  return [contentId, { prior, seen, keys, mean, covariance }];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isNumbers = (value: unknown): value is number[] => Array.isArray(value) && value.every(isNumber);
