import { distance } from 'fastest-levenshtein';

/**
 * The name that was probably meant by `typed`, if one is near: the fewest edits, of which at most `most(name)`.
 * `comparable` gives what of the two is compared.
 */
export function nearest(
  names: readonly string[],
  comparable: (name: string) => readonly [typed: string, name: string],
  most: (name: string) => number,
): string | undefined {
  const scored = names.map((name) => ({ name, off: edits(...comparable(name)) }));
  const best = scored.sort((a, b) => a.off - b.off)[0];
  return best && best.off <= most(best.name) ? best.name : undefined;
}

/** Levenshtein's distance; letters that only changed places are one edit, as fingers make them. */
function edits(typed: string, name: string): number {
  const letters = (text: string) => [...text].sort().join('');
  return letters(typed) === letters(name) ? Math.min(1, distance(typed, name)) : distance(typed, name);
}
