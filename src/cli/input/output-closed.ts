import { setMaxListeners } from 'node:events';
import type { World } from '../terminal/world.ts';

export interface OutputWatch {
  /** Aborts with the given signal, and when standard output is closed. */
  readonly signal: AbortSignal;
  /** Returns whether standard output was closed. */
  closed(): boolean;
  /** Stops watching standard output. */
  dispose(): void;
}

/**
 * Stops work as Ctrl-C does when standard output is closed (`svc … | head -1`), for commands with side effects. Without
 * it a listing exits quietly, and any other command goes on.
 */
export function stopWhenOutputCloses(
  { onOutputClosed }: Pick<World, 'onOutputClosed'>,
  signal: AbortSignal,
): OutputWatch {
  const closing = new AbortController();
  const dispose = onOutputClosed(() => closing.abort());
  const stopping = AbortSignal.any([signal, closing.signal]);
  // Each pending request adds a listener.
  setMaxListeners(0, stopping);
  return { signal: stopping, closed: () => closing.signal.aborted, dispose };
}
