import { setMaxListeners } from 'node:events';
import type { World } from '../terminal/world.ts';

export interface WhileRead {
  /** Fires as the signal given does, and when nobody reads standard output any more. */
  readonly signal: AbortSignal;
  /** Nobody reads standard output any more. */
  closed(): boolean;
  /** From here on the end of standard output is no concern of the work. */
  over(): void;
}

/**
 * For work whose results are read as it goes: it stops, as by Ctrl-C, when their reader went away (`svc … | head -1`).
 * Elsewhere the process ends quietly then, as listings should.
 */
export function whileRead({ onOutputClosed }: Pick<World, 'onOutputClosed'>, signal: AbortSignal): WhileRead {
  const closing = new AbortController();
  const over = onOutputClosed(() => closing.abort());
  const stopping = AbortSignal.any([signal, closing.signal]);
  // Every request that waits listens to it.
  setMaxListeners(0, stopping);
  return { signal: stopping, closed: () => closing.signal.aborted, over };
}
