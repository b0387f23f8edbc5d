import { LOCAL, Profiles } from '../../profiles/profiles.ts';
import { SvcError } from '../errors/svc-error.ts';
import type { Output } from '../terminal/output.ts';
import type { World } from '../terminal/world.ts';
import { databaseOf } from './database.ts';
import type { Paths } from './paths.ts';
import { type ConnectionFlags, isLoopback, namedProfile } from './settings.ts';

/**
 * The data that a command works on which knows that of this machine only: --database, else what calls go to, if that is
 * on this machine: the data of `local`, or SVC_DATABASE_URL beside a service on a loopback address. Where nothing names
 * a service, the data that `svc serve` would serve. Throws usage where a service elsewhere is named: its data is not
 * here, and what is here would be taken for it.
 */
export function localDatabase(
  flags: ConnectionFlags & { readonly database?: string | undefined },
  world: Pick<World, 'env' | 'cwd'>,
  paths: Paths,
  out: Output,
): string {
  const typed = (['base-url', 'workspace', 'region'] as const).find((name) => flags[name] !== undefined);
  if (typed !== undefined) throw elsewhere(`--${typed}`);
  if (flags.profile !== undefined && flags.profile !== LOCAL) throw elsewhere(`--profile ${flags.profile}`);
  if (flags.database !== undefined) return databaseOf(flags.database, world, paths, out);
  if (flags.profile === LOCAL) return paths.database;
  const { SVC_BASE_URL: baseUrl, SVC_DATABASE_URL: database } = world.env;
  if (baseUrl) {
    if (!database || !isOnThisMachine(baseUrl)) throw elsewhere('SVC_BASE_URL');
  } else {
    const named = namedProfile(flags, world);
    const profile = named?.profile ?? new Profiles(paths.configDir).read().current;
    if (profile === LOCAL) return paths.database;
    if (profile !== undefined)
      throw elsewhere(named ? `${named.by}=${profile}` : `${profile}, the profile in use,`);
  }
  return databaseOf(undefined, world, paths, out);
}

function isOnThisMachine(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && isLoopback(new URL(baseUrl).hostname);
}

/** The next step leaves --yes out: what it is about is not what was meant when that was typed. */
function elsewhere(by: string): SvcError {
  return new SvcError('usage', `${by} names a service, and only data on this machine is within reach`, {
    hint: ({ command }) =>
      `for the data of this machine's own service: svc ${command} --profile local\nor name other data: svc ${command} --database FILE`,
  });
}
