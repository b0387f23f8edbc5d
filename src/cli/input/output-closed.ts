import { setMaxListeners } from 'node:events';
import type { World } from '../terminal/world.ts';

export interface WhileRead {
  /** Aborts with the given signal, and when standard output is closed. */
  readonly signal: AbortSignal;
  /** Returns whether standard output was closed. */
  closed(): boolean;
  /** Stops watching standard output. */
  over(): void;
}

/**
 * Stops work as Ctrl-C does when standard output is closed (`svc … | head -1`), for commands with side effects. Without
 * it the process exits quietly.
 */
export function whileRead({ onOutputClosed }: Pick<World, 'onOutputClosed'>, signal: AbortSignal): WhileRead {
  const closing = new AbortController();
  const over = onOutputClosed(() => closing.abort());
  const stopping = AbortSignal.any([signal, closing.signal]);
  // Each pending request adds a listener.
  setMaxListeners(0, stopping);
  return { signal: stopping, closed: () => closing.signal.aborted, over };
}
