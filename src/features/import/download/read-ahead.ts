/** Bytes that are held for a slow disk. */
const HELD_BYTES = 1024 * 1024;

/**
 * Takes what arrives at once, up to a bound, and yields it before it throws the error of the source: a stream whose
 * connection is lost drops what nobody took yet, so that a connection that is lost often would bring nothing.
 */
export function readAhead(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let held = 0;
  let ended: { readonly error?: unknown } | undefined;
  let stopped = false;
  /** Called when there is something new for the side that waits. */
  let wake = () => {};
  const change = () => new Promise<void>((resolve) => (wake = resolve));
  const read = async () => {
    for await (const chunk of source) {
      chunks.push(chunk);
      held += chunk.length;
      wake();
      while (held >= HELD_BYTES && !stopped) await change();
      if (stopped) return;
    }
  };
  const end = (how: { readonly error?: unknown }) => {
    ended = how;
    wake();
  };
  void read().then(
    () => end({}),
    (error: unknown) => end({ error }),
  );
  const chunksOf = async function* () {
    try {
      for (;;) {
        const chunk = chunks.shift();
        if (chunk) {
          held -= chunk.length;
          wake();
          yield chunk;
        } else if (ended) {
          if ('error' in ended) throw ended.error;
          return;
        } else await change();
      }
    } finally {
      stopped = true;
      wake();
    }
  };
  return chunksOf();
}
