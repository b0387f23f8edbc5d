/** The `limit` highest of many items, highest first, equals in their order: a sort that stops early. */
export function highest<T>(items: readonly T[], limit: number, rankOf: (item: T) => number): T[] {
  const best: { readonly item: T; readonly value: number }[] = [];
  for (const item of items) {
    const value = rankOf(item);
    if (best.length === limit && !(value > best[limit - 1]!.value)) continue;
    let at = best.length;
    while (at > 0 && value > best[at - 1]!.value) at--;
    best.splice(at, 0, { item, value });
    if (best.length > limit) best.pop();
  }
  return best.map(({ item }) => item);
}
