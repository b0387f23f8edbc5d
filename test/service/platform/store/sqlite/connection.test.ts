import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SqliteConnection } from '../../../../../src/service/platform/store/sqlite/connection.ts';
import { tempDir } from '../../../../support/temp.ts';

it('opens a file while another connection writes, without a wait for its lock', () => {
  const path = join(tempDir(), 'data.db');
  const writer = new SqliteConnection(path);
  writer.exec('CREATE TABLE note (text TEXT)');
  writer.begin('IMMEDIATE');
  writer.exec("INSERT INTO note VALUES ('unfinished')");
  // The wait would be in this thread, so the lock could not be released meanwhile, and opening would fail.
  const reader = new SqliteConnection(path);
  expect(reader.allSync('SELECT text FROM note')).toEqual([]);
  expect(reader.allSync('PRAGMA auto_vacuum')).toEqual([{ auto_vacuum: 2 }]);
  reader.close();
  writer.rollBack();
  writer.close();
});
