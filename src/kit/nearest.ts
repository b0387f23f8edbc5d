import { distance } from 'fastest-levenshtein';

/**
 * Returns the name that is probably meant: the one with the fewest edits, if these are at most `limit(name)`.
 * `comparable` returns the parts of the input and of the name to compare.
 */
export function nearest(
  names: readonly string[],
  comparable: (name: string) => readonly [typed: string, name: string],
  limit: (name: string) => number,
): string | undefined {
  const scored = names.map((name) => ({ name, edits: editDistance(...comparable(name)) }));
  const best = scored.sort((a, b) => a.edits - b.edits)[0];
  return best && best.edits <= limit(best.name) ? best.name : undefined;
}

/** Levenshtein distance, except that two letters that changed places count as one edit. */
function editDistance(typed: string, name: string): number {
  const at = [...name].findIndex((letter, i) => letter !== typed[i]);
  const swapped = name.slice(0, at) + (name[at + 1] ?? '') + name[at] + name.slice(at + 2);
  return at >= 0 && typed === swapped ? 1 : distance(typed, name);
}
