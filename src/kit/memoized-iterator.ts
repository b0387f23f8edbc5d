/** Walks a generator as often as asked, and lets it work once and only as far as somebody got. */
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
