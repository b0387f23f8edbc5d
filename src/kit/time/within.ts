/**
 * Runs work with a signal that fires after `ms`, with a TimeoutError, or together with `outer`, with its reason. In place of
 * `AbortSignal.any` with `AbortSignal.timeout`: Node.js 20 collects such a timeout as garbage, and it never fires.
 */
export async function within<T>(
  ms: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const end = () => ended.abort(outer!.reason);
  if (outer?.aborted) end();
  outer?.addEventListener('abort', end, { once: true });
  const timer = setTimeout(() => ended.abort(new DOMException('no end in time', 'TimeoutError')), ms);
  try {
    return await work(ended.signal);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', end);
  }
}
