import { nearest } from '../../kit/nearest.ts';

/** The name that was probably meant: the only one begun, else the nearest by edits, a third of its letters at most. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  const begun = typed.length >= 3 ? names.filter((name) => name.startsWith(typed)) : [];
  if (begun.length === 1) return begun[0];
  return nearest(
    names,
    (name) => [typed, name],
    (name) => Math.max(1, Math.floor(name.length / 3)),
  );
}
