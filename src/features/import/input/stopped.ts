import type { ByteSource } from './bytes.ts';

/** How long work may keep the event loop, in milliseconds: no signal is seen meanwhile. */
const LONGEST_MS = 50;

/** The first Ctrl-C, before anything was sent. */
export class Stopped extends Error {
  constructor() {
    super('interrupted before anything was sent');
    this.name = 'Stopped';
  }
}

/** Throws Stopped once the signal is aborted. */
export function throwIfStopped(stop: AbortSignal): void {
  if (stop.aborted) throw new Stopped();
}

/** A source whose reads fail with Stopped once the signal is aborted. */
export function stoppable(source: ByteSource, stop: AbortSignal): ByteSource {
  return {
    async read(into, at, length) {
      throwIfStopped(stop);
      return source.read(into, at, length);
    },
    close: () => source.close(),
  };
}

let since = 0;

/**
 * Lets signals, timers and sockets have their turn, if what runs has kept them waiting for long. Every loop that may be
 * long without a wait of its own calls it: a loop of resolved promises alone never ends its turn. Throws Stopped once
 * `stop` is aborted.
 */
export async function breathe(stop?: AbortSignal): Promise<void> {
  if (performance.now() - since < LONGEST_MS) return;
  await new Promise(setImmediate);
  since = performance.now();
  if (stop) throwIfStopped(stop);
}
