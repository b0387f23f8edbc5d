import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { maskUrl } from '../../kit/mask-url.ts';
import { shell } from '../../kit/shell.ts';
import { isPostgres } from '../../service/admin/admin.ts';
import { fileError } from '../errors/file-error.ts';
import { SvcError } from '../errors/svc-error.ts';
import { Flags } from '../flags/oclif.ts';
import type { Output } from '../terminal/output.ts';
import type { World } from '../terminal/world.ts';
import type { Paths } from './paths.ts';

export const databaseFlag = Flags.string({
  summary: 'SQLite file or postgres:// URL of the data; default: SVC_DATABASE_URL',
  helpValue: 'FILE|URL',
});

/**
 * Returns the database of a command that runs the service: --database, SVC_DATABASE_URL, else that of `local`.
 * Throws usage for an invalid URL and file for a missing folder. Warns of a password in --database, which other users
 * of the machine can see. `name` is the flag of the command that names it.
 */
export function databaseOf(
  flag: string | undefined,
  { env, cwd }: Pick<World, 'env' | 'cwd'>,
  paths: Paths,
  out: Output,
  name = '--database',
): string {
  const database = flag ?? (env.SVC_DATABASE_URL || paths.database);
  if (!isPostgres(database)) {
    if (/^\w+:\/\//.test(database) && !database.startsWith('file:'))
      throw new SvcError('usage', `${maskUrl(database)} is neither a file nor a postgres:// URL`, {
        hint: `${name} postgres://USER@HOST/DATABASE, or the path of an SQLite file`,
      });
    const file = database.startsWith('file:///') ? fileURLToPath(database) : database.replace(/^file:/, '');
    const folder = dirname(resolve(cwd, file));
    // Only the data folder of svc is created; any other missing folder is more likely a typing mistake.
    if (!existsSync(folder) && folder !== resolve(cwd, paths.dataDir))
      throw fileError(file, { code: 'ENOENT' }, 'write');
    return file;
  }
  if (!URL.canParse(database))
    throw new SvcError(
      'usage',
      'the database URL cannot be read: a special character in it must be percent-encoded',
      {
        hint: `${name} postgres://USER@HOST:5432/DATABASE, the password in SVC_DATABASE_URL or PGPASSWORD`,
      },
    );
  if (flag !== undefined && maskUrl(flag) !== flag)
    out.warn(
      `the password in ${name} can be seen by other users of this machine: give it in SVC_DATABASE_URL or PGPASSWORD`,
    );
  return database;
}

/**
 * Turns an error of the database into an SvcError. Returns any other error unchanged.
 * Hints name the database: without it, a pasted command would work on the data of `local`. `flag` is the one of the command
 * that names it.
 */
export function databaseError(error: unknown, database: string, flag = '--database'): unknown {
  const { name, message } = error as Error;
  if (name === 'TestClockRefused')
    return new SvcError('usage', message, {
      hint: (invocation) => `name a file for tests: ${invocation.rerunWith(flag, 'test.db')}`,
      cause: error,
    });
  if (!isPostgres(database)) {
    if (name === 'StoreForeign' || name === 'StoreNotOpened')
      return new SvcError('data', message, {
        hint: (invocation) =>
          `nothing was changed; name another file: ${invocation.rerunWith(flag, 'svc.db')}`,
        cause: error,
      });
    if (name !== 'StoreUnusable') return error;
    return new SvcError('data', message, {
      hint: shell`nothing was changed; \`svc data reset --database ${database} --yes\` deletes the data and starts empty`,
      cause: error,
    });
  }
  if (name === 'StoreForeign')
    return new SvcError('data', message, {
      hint: `${shell`psql ${maskUrl(database)} -c 'CREATE DATABASE svc'`}, and name that one with ${flag}`,
      cause: error,
    });
  // disk_full (PostgreSQL manual, appendix A).
  if (name === 'StoreUnavailable' && ((error as Error).cause as { code?: unknown })?.code === '53100')
    return new SvcError('unavailable', `the disk of the database is full: ${message}`, {
      hint: (invocation) =>
        `free some space on the server, or add a disk (df -h there), then: ${invocation.rerunWith()}`,
      cause: error,
    });
  if (name === 'StoreUnavailable')
    return new SvcError('unavailable', `the database cannot be used now: ${message}`, {
      hint: shell`test the connection: psql ${maskUrl(database)} -c 'SELECT 1'`,
      cause: error,
    });
  if (name === 'StoreUnusable')
    return new SvcError('data', message, {
      hint: shell`test the connection: psql ${maskUrl(database)}`,
      cause: error,
    });
  return error;
}
