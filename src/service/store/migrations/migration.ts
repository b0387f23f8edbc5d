import type { Dialect } from '../store.ts';

/** A numbered, forward-only schema change. Never edit a released migration; add the next number. */
export interface Migration {
  readonly id: number;
  /** Indexes that `up` needs. On existing PostgreSQL data they are built before, while other nodes work (build.ts). */
  indexes?(dialect: Dialect): readonly IndexDefinition[];
  up(dialect: Dialect): string[];
}

export interface IndexDefinition {
  readonly name: string;
  readonly unique: boolean;
  /** The table, the columns in parentheses, and a condition. */
  readonly on: string;
}
