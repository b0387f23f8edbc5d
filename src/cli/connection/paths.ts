import { lstatSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { SvcError } from '../errors/svc-error.ts';
import type { World } from '../terminal/world.ts';

/**
 * The paths of svc's files: SVC_CONFIG_DIR and SVC_DATA_DIR, else the XDG Base Directory Specification, on Windows
 * %LOCALAPPDATA%. The same as those of oclif, so that its `Config` finds the plugins.
 */
export interface Paths {
  /** Profiles and their secrets. */
  readonly configDir: string;
  /** The data of `local`, import journals, observed limits. */
  readonly dataDir: string;
  /** The SQLite file of `local`. */
  readonly database: string;
  /** The compiled code that bin/code-cache.js keeps. */
  readonly codeCacheDir: string;
}

/** Returns the paths. Reading one throws usage where it is not a folder, or where there is no home folder. */
export function pathsOf({ env }: Pick<World, 'env'>, platform: string = process.platform): Paths {
  // Resolved when read: a command that stores nothing needs no home folder.
  return {
    get configDir() {
      const own = env.SVC_CONFIG_DIR || defaultFolder(env, platform, env.XDG_CONFIG_HOME, '.config');
      return folder(own, 'SVC_CONFIG_DIR', env);
    },
    get dataDir() {
      return folder(dataFolder(env, platform), 'SVC_DATA_DIR', env);
    },
    get database() {
      return join(this.dataDir, 'service.db');
    },
    get codeCacheDir() {
      const own = defaultFolder(env, platform, env.XDG_CACHE_HOME, '.cache');
      return onWindows(env, platform) && !env.XDG_CACHE_HOME ? join(own, 'cache') : own;
    },
  };
}

/** Returns the data folder unchecked; undefined where there is no home folder. For the start of every command. */
export function dataDirOf({ env }: Pick<World, 'env'>): string | undefined {
  try {
    return dataFolder(env);
  } catch {
    return undefined;
  }
}

function dataFolder(env: World['env'], platform: string = process.platform): string {
  return env.SVC_DATA_DIR || defaultFolder(env, platform, env.XDG_DATA_HOME, '.local', 'share');
}

function defaultFolder(
  env: World['env'],
  platform: string,
  xdg: string | undefined,
  ...belowHome: string[]
): string {
  const parent = xdg || onWindows(env, platform) || join(homeOf(env), ...belowHome);
  return join(parent, 'svc');
}

function onWindows(env: World['env'], platform: string): string | undefined {
  return platform === 'win32' ? env.LOCALAPPDATA || undefined : undefined;
}

/** Returns the home folder. An empty HOME is ignored: keys would be stored in the current folder. Throws usage. */
function homeOf(env: World['env']): string {
  const named = env.HOME || env.USERPROFILE;
  if (named) return named;
  try {
    return userInfo().homedir;
  } catch (error) {
    // A uid without an account, as in a container.
    throw new SvcError('usage', 'there is no home folder to keep the files of svc in', {
      hint: 'export HOME=/a/folder/of/yours, or SVC_CONFIG_DIR and SVC_DATA_DIR',
      cause: error,
    });
  }
}

const NOT_A_FOLDER: Readonly<Record<string, string>> = {
  ENOENT: 'it is a link that leads nowhere',
  ENOTDIR: 'a part of its path is a file',
  EACCES: 'permission denied',
  ENAMETOOLONG: 'its path is too long',
  ELOOP: 'its path is a loop of links',
};

/** Checks a folder that may not exist yet. Throws usage where the path is not a folder. */
function folder(path: string, variable: 'SVC_CONFIG_DIR' | 'SVC_DATA_DIR', env: World['env']): string {
  let why = 'it is a file';
  try {
    if (statSync(path).isDirectory()) return path;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && !lstatSync(path, { throwIfNoEntry: false })) return path;
    why = NOT_A_FOLDER[code] ?? message;
  }
  const by = env[variable] ? `${variable} names ${path}` : `svc keeps its files in ${path}`;
  throw new SvcError('usage', `${by}, which cannot be used as a folder: ${why}`, {
    hint: `name a folder of yours; svc creates it: export ${variable}="$HOME/svc-files"`,
  });
}
