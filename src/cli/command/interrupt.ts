import { setMaxListeners } from 'node:events';
import { EXIT } from '../errors/exit-codes.ts';
import type { World } from '../terminal/world.ts';

/** Signals within this many milliseconds count as one Ctrl-C: npm, for one, forwards what the terminal already sent. */
const SAME_INTERRUPT_MS = 100;

/** Returns a signal that aborts at the first Ctrl-C or SIGTERM; a second one exits with 130. `stop` stops listening. */
export function listenForInterrupt(world: World): { readonly signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  // Each concurrent request adds a listener: more than ten are not a leak.
  setMaxListeners(0, controller.signal);
  let firstAt: number | undefined;
  const stop = world.onInterrupt(() => {
    const now = world.clock.now();
    if (firstAt !== undefined && now - firstAt > SAME_INTERRUPT_MS) world.exit(EXIT.interrupted);
    firstAt ??= now;
    controller.abort();
  });
  return { signal: controller.signal, stop };
}
