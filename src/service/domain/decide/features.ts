import { hash32 } from '../../../kit/hash32.ts';

/** Where the action will appear: field name to value, such as `{channel: 'in-app', surface: 'home'}`. */
export type Context = Readonly<Record<string, string>>;

/** One yes/no feature of a context. `key` is what the model knows it by; `label` is for people. */
export interface Feature {
  readonly key: number;
  readonly label: string;
}

/** The feature that every context has. */
export const BIAS: Feature = { key: 0, label: '' };

/**
 * The features of a context, by hashing (Weinberger et al., 2009): one for each field with a value, and the bias.
 * Names and values are never kept by the model, only their 32-bit hashes. The order is that of the field names,
 * so that equal contexts give equal sums.
 */
export function featuresOf(context: Context): Feature[] {
  const features = [BIAS];
  for (const field of Object.keys(context).sort()) {
    const value = context[field];
    if (!value) continue;
    features.push({ key: hash32(`${field}=${value}`) || 1, label: `${field} ${value}` });
  }
  return features;
}
