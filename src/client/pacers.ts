import type { Group } from '../contract/limits.ts';
import { Pacer, type PacerOptions } from './pacer/pacer.ts';

/** Holds one pacer per rate-limit group of a workspace, created on first use. */
export class Pacers {
  readonly #options: Omit<PacerOptions, 'onPause'> & { onPause?: (group: Group, waitMs: number) => void };
  readonly #pacers = new Map<Group, Pacer>();

  constructor(options: Omit<PacerOptions, 'onPause'> & { onPause?: (group: Group, waitMs: number) => void }) {
    this.#options = options;
  }

  of(group: Group): Pacer {
    let pacer = this.#pacers.get(group);
    if (!pacer) {
      const { onPause, ...options } = this.#options;
      pacer = new Pacer({ ...options, onPause: (waitMs) => onPause?.(group, waitMs) });
      this.#pacers.set(group, pacer);
    }
    return pacer;
  }
}
