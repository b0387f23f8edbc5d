import { homedir } from 'node:os';
import { join } from 'node:path';
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

export function pathsOf({ env }: Pick<World, 'env'>): Paths {
  const home = env.HOME || env.USERPROFILE || homedir();
  const configDir = env.SVC_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(home, '.config'), 'svc');
  const dataDir = env.SVC_DATA_DIR || join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'svc');
  const codeCacheDir = join(env.XDG_CACHE_HOME || join(home, '.cache'), 'svc');
  return { configDir, dataDir, database: join(dataDir, 'service.db'), codeCacheDir };
}
