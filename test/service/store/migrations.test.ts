import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../../src/service/store/migrations/index.ts';
import { postgresDialect } from '../../../src/service/store/postgres/transaction.ts';
import { sqliteDialect } from '../../../src/service/store/sqlite/connection.ts';

/**
 * What each migration says, for SQLite and for PostgreSQL. A data file somewhere has run it as it is: a change to the
 * schema is the next migration, with a line of its own here. (A comment inside a statement counts.)
 */
const RELEASED: Record<number, string> = {
  1: 'f9810dc894752d8c c1ef335bcf774952',
  2: 'b3826e2106056f57 5d52f7c53d94c35f',
  3: '6f4b4f8696996e92 694978de059e339b',
  4: 'e3b0c44298fc1c14 fe0d75a6afea9ded',
  10: 'f080f5fb866a56ee 7826e62e2cfd4566',
};

test('a migration that was released is never edited', () => {
  const now = Object.fromEntries(
    MIGRATIONS.map(({ id, up }) => [
      id,
      [sqliteDialect, postgresDialect].map((dialect) => digest(up(dialect))).join(' '),
    ]),
  );
  expect(now, 'undo the edit and add a migration; for a new one, add its line to RELEASED').toEqual(RELEASED);
});

test('migrations are numbered in ascending order', () => {
  const ids = MIGRATIONS.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
});

function digest(statements: string[]): string {
  return createHash('sha256')
    .update(statements.map((text) => text.replace(/\s+/g, ' ')).join(';'))
    .digest('hex')
    .slice(0, 16);
}
