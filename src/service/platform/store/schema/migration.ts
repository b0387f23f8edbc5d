import { createHash } from 'node:crypto';
import type { Dialect } from '../store.ts';

/** A numbered, forward-only schema change. Never edit a released one; add the next number. */
export interface Migration {
  readonly id: number;
  /** Indexes that `up` needs. On existing PostgreSQL data they are built before it, while other nodes work. */
  indexes?(dialect: Dialect): readonly IndexDefinition[];
  up(dialect: Dialect): readonly string[];
}

export interface IndexDefinition {
  readonly name: string;
  readonly unique: boolean;
  /** The table, the columns in parentheses, and a condition. */
  readonly on: string;
}

/** Identifies the statements of a migration: a database records which ones it has run. White space does not count. */
export function digestOf(migration: Migration, dialect: Dialect): string {
  const statements = migration.up(dialect).map((text) => text.replace(/\s+/g, ' '));
  return createHash('sha256').update(statements.join(';')).digest('hex').slice(0, 16);
}
