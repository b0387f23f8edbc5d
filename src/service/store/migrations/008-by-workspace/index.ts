import type { Migration } from '../migration.ts';
import { INDEXES, KEYS, OLD_INDEXES } from './indexes.ts';
import { changedKeys, newKeys, TABLES } from './keys.ts';
import { limiter } from './limiter.ts';
import { newTables } from './new-tables.ts';
import { recreated } from './recreated.ts';

/**
 * Every key begins with the workspace, and events are numbered per workspace.
 *
 * PostgreSQL builds the new indexes while older nodes work; the change itself rewrites no large table. SQLite cannot
 * change the key of a table: tables are created again, and move.ts moves their rows in pieces. Stored events keep their
 * numbers, and every workspace continues from the highest number of all, so that old positions of streams stay valid.
 */
export const byWorkspace: Migration = {
  id: 8,
  indexes: (d) => (d.name === 'postgres' ? [...KEYS, ...INDEXES] : []),
  up: (d) =>
    d.name === 'postgres'
      ? [
          `LOCK TABLE ${TABLES.join(', ')} IN ACCESS EXCLUSIVE MODE`,
          ...newTables(d),
          ...[...KEYS, ...INDEXES].map(
            ({ name, unique, on }) => `CREATE ${unique ? 'UNIQUE ' : ''}INDEX IF NOT EXISTS ${name} ON ${on}`,
          ),
          ...OLD_INDEXES.map((name) => `DROP INDEX ${name}`),
          ...changedKeys,
          ...newKeys,
          ...limiter,
        ]
      : [
          ...newTables(d),
          ...OLD_INDEXES.map((name) => `DROP INDEX ${name}`),
          ...recreated(d),
          ...INDEXES.map(({ name, on }) => `CREATE INDEX ${name} ON ${on}`),
        ],
};
