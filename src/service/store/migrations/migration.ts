import type { Dialect } from '../store.ts';

/** One numbered, forward-only step of the schema. A released migration is never edited: add the next number. */
export interface Migration {
  readonly id: number;
  up(dialect: Dialect): string[];
}
