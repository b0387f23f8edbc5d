import { nearest } from '../../kit/nearest.ts';

/**
 * Returns the name that is one edit away, else the only name that starts with `typed`, else the nearest one by edit
 * distance (at most a third of its letters).
 */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  const within = (limit: (name: string) => number) => nearest(names, (name) => [typed, name], limit);
  const completions = typed.length >= 3 ? names.filter((name) => name.startsWith(typed)) : [];
  if (completions.length !== 1) return within((name) => Math.max(1, Math.floor(name.length / 3)));
  return within(() => 1) ?? completions[0];
}
