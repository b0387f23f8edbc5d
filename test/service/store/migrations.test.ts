import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../../src/service/store/migrations/index.ts';
import { postgresDialect } from '../../../src/service/store/postgres/transaction.ts';
import { sqliteDialect } from '../../../src/service/store/sqlite/connection.ts';

/**
 * Digests of the statements of each migration, for SQLite and PostgreSQL. Existing databases have run them: change the
 * schema with a new migration and add its line here. (Comments inside a statement count.)
 */
const RELEASED: Record<number, string> = {
  1: 'f9810dc894752d8c c1ef335bcf774952',
  2: 'b3826e2106056f57 5d52f7c53d94c35f',
  3: '6f4b4f8696996e92 694978de059e339b',
  4: 'e3b0c44298fc1c14 fe0d75a6afea9ded',
  5: 'be4653e9f8fabb8f 397950a75f245b93',
  6: '389ab0791f849a95 389ab0791f849a95',
  7: 'aff26d411313a1f8 abd853c97d9b8ffe',
  8: 'e04417711feb7825 bdf8e7841e06d581',
  9: 'd29a524c871eeea1 2ff417aa57b1c7f6',
  10: 'bab53f391f192118 5cada22a1fda292b',
  15: 'c63aad03deaf2ac8 c63aad03deaf2ac8',
  11: '4dac34365fcbb19b fffcc0bec2a7f03e',
  12: '64e3f5f1ed86a76a a770d0bd42ce231c',
  13: '3c6ba77ea8af4b5d 3fa3bb4a9a54c1c8',
  14: 'e828799db6300a3d b97ba74188ca4861',
  16: 'a089e9e5f1a1f382 a089e9e5f1a1f382',
  17: '087f860dbd1996f8 087f860dbd1996f8',
  18: '2046139180c368cb 38ee185ab8b0b25a',
  19: '0d7c46ee99cd72d1 098dbfa29230498e',
  20: '7cf2b2ea7a73c748 18762d96b3927db0',
  21: '21f17bb7793c2f34 21f17bb7793c2f34',
  22: '0fd0fca46791e6ee b073e852a00950af',
  23: '8d0d7646fd5d92af 8d0d7646fd5d92af',
  24: 'cfc0d46c0e3ee6a3 cfc0d46c0e3ee6a3',
  25: '9de6844699e778c8 737fd24a7781bd20',
  26: 'af36db177e033f0d af36db177e033f0d',
  27: 'e3b0c44298fc1c14 d00195e508960328',
  28: 'b482b65bcd35a014 b482b65bcd35a014',
  30: '2ae220174501075c 2ae220174501075c',
};

test('released migrations are unchanged', () => {
  const now = Object.fromEntries(
    MIGRATIONS.map(({ id, up }) => [
      id,
      [sqliteDialect, postgresDialect].map((dialect) => digest(up(dialect))).join(' '),
    ]),
  );
  expect(now, 'undo the edit and add a migration; for a new one, add its line to RELEASED').toEqual(RELEASED);
});

test('migrations are in ascending order without duplicates', () => {
  const ids = MIGRATIONS.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
});

function digest(statements: string[]): string {
  return createHash('sha256')
    .update(statements.map((text) => text.replace(/\s+/g, ' ')).join(';'))
    .digest('hex')
    .slice(0, 16);
}
