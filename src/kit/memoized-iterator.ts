/** Memoizes an iterator: any number of generators yield its items, each of which is produced lazily and once. */
export function memoizedIterator<T>(source: Iterator<T>): () => Generator<T> {
  const items: T[] = [];
  return function* () {
    for (let at = 0; ; at++) {
      if (at === items.length) {
        const next = source.next();
        if (next.done) return;
        items.push(next.value);
      }
      yield items[at] as T;
    }
  };
}
