import { userInfo } from 'node:os';
import { join } from 'node:path';
import { SvcError } from './errors.ts';
import type { World } from './world.ts';

/** Where svc keeps its files (XDG Base Directory Specification; SVC_CONFIG_DIR and SVC_DATA_DIR come first). */
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

/** Reading one throws usage where there is neither a home folder nor a variable that names one. */
export function pathsOf({ env }: Pick<World, 'env'>): Paths {
  // Each when it is asked for: a command that keeps nothing needs no home.
  return {
    get configDir() {
      return env.SVC_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(homeOf(env), '.config'), 'svc');
    },
    get dataDir() {
      return env.SVC_DATA_DIR || join(env.XDG_DATA_HOME || join(homeOf(env), '.local', 'share'), 'svc');
    },
    get database() {
      return join(this.dataDir, 'service.db');
    },
    get codeCacheDir() {
      return join(env.XDG_CACHE_HOME || join(homeOf(env), '.cache'), 'svc');
    },
  };
}

/** An empty HOME is none: what is below it would lie in the folder one happens to be in, keys too. Throws usage. */
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
