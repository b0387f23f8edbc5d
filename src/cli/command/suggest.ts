import { nearest } from '../../kit/nearest.ts';

/** Returns the only name that starts with `typed`, else the nearest name by edit distance (at most a third of its letters). */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  const completions = typed.length >= 3 ? names.filter((name) => name.startsWith(typed)) : [];
  if (completions.length === 1) return completions[0];
  return nearest(
    names,
    (name) => [typed, name],
    (name) => Math.max(1, Math.floor(name.length / 3)),
  );
}
