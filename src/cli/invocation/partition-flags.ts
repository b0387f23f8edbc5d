/** Returns how many words a flag and its value occupy; 0 for a word that is not one of the flags. */
export type FlagSpan = (word: string) => 0 | 1 | 2;

/** Splits a command line into the given flags, other words, and `--` with everything after it. */
export function partitionFlags(
  words: readonly string[],
  span: FlagSpan,
): { readonly flags: string[]; readonly others: string[]; readonly rest: string[] } {
  const end = words.indexOf('--');
  const own = end < 0 ? words : words.slice(0, end);
  const flags: string[] = [];
  const others: string[] = [];
  for (let at = 0; at < own.length; ) {
    const count = span(own[at]!);
    if (count === 0) others.push(own[at]!);
    else flags.push(...own.slice(at, at + count));
    at += count || 1;
  }
  return { flags, others, rest: words.slice(own.length) };
}
