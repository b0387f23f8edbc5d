import type { Dialect } from '../store.ts';

/** A numbered, forward-only schema change. Never edit a released migration; add the next number. */
export interface Migration {
  readonly id: number;
  up(dialect: Dialect): string[];
}
