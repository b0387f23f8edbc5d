import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { describe, expect, it, test } from 'vitest';
import { APPLICATION_ID } from '../../../src/service/platform/store/sqlite/ownership.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

/** Files that are not ours, made in a folder under the name `data.db` and others beside it. */
const FOREIGN: Record<string, (folder: string) => void> = {
  'a text file': (folder) => writeFileSync(join(folder, 'data.db'), 'my notes\n'),
  'a text file beside a TLS key': (folder) => {
    writeFileSync(join(folder, 'data.db'), 'my notes\n');
    writeFileSync(join(folder, 'data.db.key'), '-----BEGIN PRIVATE KEY-----\n');
  },
  'a TLS key beside nothing': (folder) =>
    writeFileSync(join(folder, 'data.db.key'), '-----BEGIN PRIVATE KEY-----\n'),
  'the key of something else beside nothing': (folder) =>
    writeFileSync(join(folder, 'data.db.key'), `${'ab'.repeat(32)}\n`),
  'an SQLite file of another program': (folder) => foreign(folder, 'CREATE TABLE note (text TEXT)'),
  'one with a mark of its own': (folder) =>
    foreign(folder, 'PRAGMA application_id = 7; CREATE TABLE n (t TEXT)'),
  'one with a version and without a table': (folder) => foreign(folder, 'PRAGMA user_version = 3'),
  'one with migrations of its own': (folder) =>
    foreign(folder, 'CREATE TABLE schema_migration (id INTEGER); CREATE TABLE event (id INTEGER)'),
  'one in WAL mode': (folder) => foreign(folder, 'PRAGMA journal_mode = WAL; CREATE TABLE note (text TEXT)'),
  'one whose program was killed': (folder) => {
    const other = join(folder, 'other');
    mkdirSync(other);
    const db = new Database(join(other, 'data.db'));
    db.exec('PRAGMA journal_mode = WAL; CREATE TABLE note (text TEXT); INSERT INTO note VALUES (1)');
    for (const suffix of ['', '-wal'])
      cpSync(join(other, `data.db${suffix}`), join(folder, `data.db${suffix}`));
    db.close();
  },
};

function foreign(folder: string, sql: string): void {
  const db = new Database(join(folder, 'data.db'));
  db.exec(sql);
  db.close();
}

/** What the files of a folder hold. SQLite may make its memory of a log to read it. */
function contents(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !name.endsWith('-shm') && statSync(join(folder, name)).isFile())
    .map(
      (name) =>
        `${name} ${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}`,
    );
}

describe.each(Object.entries(FOREIGN))('%s', (name, make) => {
  const nothing = name.includes('beside nothing');

  it.each([
    ['data', 'reset', '--yes'],
    ['serve', 'migrate'],
    ['serve', '--port', '0'],
    ['data', 'export'],
  ])('is not changed by svc %s %s', async (...argv) => {
    const folder = tempDir();
    make(folder);
    // A file that is not there is made by the others.
    if (nothing && argv[1] !== 'reset') return expect(contents(folder)).toHaveLength(1);
    const before = contents(folder);
    const words = argv.filter((word) => word !== undefined);
    const run = await runSvc([...words, '--database', join(folder, 'data.db'), '--json']);
    expect(contents(folder)).toEqual(before);
    if (nothing) return expect(JSON.parse(run.stdout)).toMatchObject({ removed: [] });
    expect([run.code, run.stdout]).toEqual([2, '']);
    const { error } = JSON.parse(run.stderr);
    expect(error.code).toBe('data');
    expect(error.message).toMatch(
      /is (a database of another program|not a database of svc): nothing was written/,
    );
    expect(error.hint).not.toContain('reset');
  });
});

test('`local` does not create its data in a database of another program', async () => {
  const home = tempDir();
  mkdirSync(join(home, 'data'));
  const db = new Database(join(home, 'data', 'service.db'));
  db.exec('CREATE TABLE note (text TEXT)');
  db.close();
  const before = contents(join(home, 'data'));
  const run = await runSvc(['events', 'send', '--user-id', 'u', '--event', 'e', '-p', 'local'], { home });
  expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('is a database of another program')]);
  expect(contents(join(home, 'data'))).toEqual(before);
});

test('data without an application id is recognised by its tables and gets the id', async () => {
  for (const logged of [false, true]) {
    const folder = tempDir();
    const file = join(folder, 'data.db');
    const source = logged ? join(tempDir(), 'data.db') : file;
    expect((await runSvc(['serve', 'migrate', '--database', source])).stderr).toBe('');
    const db = new Database(source);
    db.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; PRAGMA application_id = 0');
    if (logged) for (const suffix of ['', '-wal']) cpSync(source + suffix, file + suffix);
    db.close();
    expect((await runSvc(['serve', 'migrate', '--database', file])).stderr).toBe('');
    const marked = new Database(file);
    expect(marked.pragma('application_id')).toEqual([{ application_id: APPLICATION_ID }]);
    marked.close();
  }
});
